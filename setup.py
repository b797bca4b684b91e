"""
Installs the part that needs no ROS, for `pip install .`.

colcon does not read this file: the ROS package is built by CMakeLists.txt.
"""

from pathlib import Path

from setuptools import Extension, find_packages, setup

HERE = Path(__file__).parent

setup(
    name='gbs_irl_ros',
    version='0.1.0',
    description='Teach a robot a task by answering a few well-chosen questions (GBS-IRL).',
    long_description=(HERE / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=[
        *find_packages(include=['gbs_irl_ros', 'gbs_irl_ros.*'],
                       exclude=[f'gbs_irl_ros.{folder}{below}' for folder in
                                ('ros', 'nodes', 'launching') for below in ('', '.*')]),
        'gbs_irl_ros.task_files', 'gbs_irl_ros.task_files.maps'],
    package_dir={'gbs_irl_ros.task_files': 'config/tasks',
                 'gbs_irl_ros.task_files.maps': 'config/tasks/maps'},
    package_data={'gbs_irl_ros': ['py.typed'], 'gbs_irl_ros.languages': ['*.json'],
                  'gbs_irl_ros.teaching.web': ['page/*', 'page/*/*'],
                  'gbs_irl_ros.task_files': ['*.yaml'], 'gbs_irl_ros.task_files.maps': ['*']},
    # No Python in it: core/planning/kernel.py loads it by ctypes. Without a compiler the package
    # works too, only more slowly.
    ext_modules=[Extension(
        'gbs_irl_ros.core.planning._kernel',
        sources=[f'src/{name}.c' for name in ('components', 'goals', 'mass', 'plan', 'rewards')],
        depends=['src/kernel.h', 'src/lanes.h'], libraries=['m'], optional=True,
        extra_compile_args=['-std=c11', '-O3', '-ffp-contract=off', '-Wno-psabi'])],
    install_requires=['aiohttp>=3.9', 'numpy>=1.26', 'scipy>=1.11', 'PyYAML>=6.0', 'pillow>=10.0',
                      'joblib>=1.3', 'matplotlib>=3.6'],
    entry_points={'console_scripts': ['gbs-irl = gbs_irl_ros.cli:run']},
)
