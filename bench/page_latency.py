"""
How long a person at the page waits: `tools/ros-env python bench/page_latency.py`.

Starts the nodes as processes and a real browser, and answers by real clicks. All times are taken
inside the page: from the click to the frame in which the next question is drawn, and from opening
the page, or from the arrival of the world, to the frame in which it is drawn for the first time.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / 'test'))
sys.path.insert(0, str(Path(__file__).parents[1] / 'test' / 'nodes'))

from browser import WATCH_DRAWING, Lesson, Page, Tabs, Teacher, launched, why_no_browser
from graph import running_graph
from PIL import Image

from gbs_irl_ros.teaching.web.server import PAGE

LONGEST_START_S = 300.0
WATCH_ANSWERS = """(() => {
  window.waits = [];
  let clicked = null;
  addEventListener('click', (event) => {
    if (event.target.closest('#spot button')) clicked = event.timeStamp;
  }, true);
  addEventListener('DOMContentLoaded', () => {
    const lesson = document.getElementById('lesson');
    let last = '';
    new MutationObserver(() => {
      const now = lesson.dataset.question;
      if (!now || now === last) return;
      last = now;
      const since = clicked;
      clicked = null;
      // Behind the frame that shows it.
      if (since !== null) requestAnimationFrame(() => setTimeout(() => {
        window.waits.push(performance.now() - since);
      }));
    }).observe(lesson, { attributes: true, attributeFilter: ['data-question'] });
  });
})()"""


def progress(text: str) -> None:
    """Show how far this is, in one line of the terminal."""
    if sys.stderr.isatty():
        sys.stderr.write(f'\r\033[K{text}')
        sys.stderr.flush()


def hall(folder: Path, columns: int, rows: int) -> Path:
    """Write a task file: a hall of cells with a goal in each corner."""
    floor = '\n'.join(['    ' + '.' * columns] * rows)
    return written(folder, f'hall_{columns}', f'kind: grid\n  map: |\n{floor}', columns, rows)


def scanned(folder: Path, pixels: int, to_a_cell: int) -> Path:
    """Write a task file and a map as Nav2 has it, with walls and speckles, of square pixels."""
    rng = np.random.default_rng(7)
    light = np.where(rng.random((pixels, pixels)) < 0.001, 205, 254).astype(np.uint8)
    light[::pixels // 4, : -pixels // 8] = 0
    Image.fromarray(light).save(folder / 'scan.png')
    (folder / 'scan.yaml').write_text(
        'image: scan.png\nresolution: 0.05\norigin: [0.0, 0.0, 0.0]\n')
    return written(folder, f'scan_{pixels}', 'kind: map\n  file: scan.yaml\n'
                   f'  cell_size: {0.05 * to_a_cell}', *[pixels // to_a_cell] * 2)


def written(folder: Path, name: str, world: str, columns: int, rows: int) -> Path:
    """Write a task file with four goals near the corners."""
    file = folder / f'{name}.yaml'
    goals = [[column, row] for column in (1, columns - 2) for row in (1, rows - 2)]
    file.write_text(f"""
format: 1
name: {name}
world:
  {world}
  moves: [north, east, south, west, stay]
hypotheses: {{kind: goals, goals: {goals}}}
start: [[{columns // 2}, {rows // 2 - 3}]]
truth: {{hypothesis: 0}}
""")
    return file


def weight() -> tuple[int, int]:
    """Return the bytes of all files of the page, as they are and compressed."""
    files = [file.read_bytes() for file in PAGE.rglob('*') if file.is_file()]
    return sum(map(len, files)), sum(len(gzip.compress(file)) for file in files)


def opened(browser: Tabs, lesson: Lesson, script: str) -> Page:
    """Open the page when there is a question to be shown."""
    lesson.wait_for_belief(lambda now: now.question_id, 'the first question', LONGEST_START_S)
    end = time.monotonic() + LONGEST_START_S
    while not lesson.sections.get('question') and time.monotonic() < end:
        time.sleep(0.05)
    page = Page(browser, lesson, script=script)
    page.wait_for_question()
    return page


def first_drawings(browser: Tabs, lesson: Lesson, count: int) -> np.ndarray:
    """Return when the world is drawn after opening a page, and after it came [ms, both]."""
    times = []
    for number in range(count):
        progress(f'{lesson.task_file}: drawing {number + 1} of {count}')
        page = opened(browser, lesson, WATCH_DRAWING)
        page.wait_until('window.drawing.drawn && window.drawing.came', 'the drawing')
        seen = page.tab.evaluate('() => window.drawing')
        times.append((seen['drawn'], seen['drawn'] - seen['came']))
        page.close()
    progress('')
    return np.array(times)


def answer_times(browser: Tabs, lesson: Lesson, count: int) -> np.ndarray:
    """Return the times from clicks to the next questions [ms]."""
    teacher = Teacher(lesson.task_file)
    page = opened(browser, lesson, WATCH_ANSWERS)
    view = page.wait_for_question()
    for number in range(count):
        progress(f'{lesson.task_file}: answer {number + 1} of {count}')
        page.answer(view, teacher.answer(view))
        view = page.wait_for_question(other_than=view['id'])
        page.wait_until(f'window.waits.length === {number + 1}', 'the frame')
    progress('')
    times = np.array(page.tab.evaluate('() => window.waits'))
    page.close()
    return times


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--task', default='driver', help='for the answers')
    parser.add_argument('--answers', type=int, default=200)
    parser.add_argument('--drawings', type=int, default=5, help='of each world')
    given = parser.parse_args()
    if why_no_browser():
        print(why_no_browser())
        return 1
    plain, packed = weight()
    print(f'the page: {plain / 1000:.0f} kB, {packed / 1000:.0f} kB compressed')
    with launched() as chromium, tempfile.TemporaryDirectory() as folder:
        browser = Tabs(chromium)
        files = Path(folder)
        tasks = {'trap_world': 'trap_world',
                 'a hall of 135 x 125 cells': hall(files, 135, 125),
                 'a map of 1,000 x 1,000 pixels in cells of 10 x 10': scanned(files, 1000, 10),
                 'a hall of 1,000 x 1,000 cells': hall(files, 1000, 1000),
                 given.task: given.task}
        for name, task in tasks.items():
            place = Path(folder) / f'of_{Path(task).stem}'
            place.mkdir()
            progress(f'{name}: planning')
            with running_graph(place) as graph:
                lesson = Lesson(graph, task, learner={'certainty': 0.0})
                times = first_drawings(browser, lesson, given.drawings)
                middle, worst = np.median(times, axis=0), times.max(axis=0)
                print(f'{name}: first drawing, {len(times)} pages: {middle[0]:.0f} ms after the '
                      f'page was opened, worst {worst[0]:.0f} ms; {middle[1]:.0f} ms after the '
                      f'world came, worst {worst[1]:.0f} ms', flush=True)
                if task == given.task:
                    times = answer_times(browser, lesson, given.answers)
                    print(f'{name}: click to the next question drawn, {len(times)} answers: '
                          f'median {np.median(times):.0f} ms, p99 '
                          f'{np.percentile(times, 99):.0f} ms, worst {times.max():.0f} ms')
    return 0


if __name__ == '__main__':
    sys.exit(main())
