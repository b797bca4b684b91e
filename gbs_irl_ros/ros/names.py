"""
Names of topics and services: relative, so that namespaces and remapping work.

Names that belong to one node start with a tilde.
"""

TASK = 'task'
POLICY = 'policy'
BELIEF = 'belief'
HEARTBEAT = 'heartbeat'
DEMONSTRATION = 'demonstration'
QUESTION = 'question'
EXECUTION = 'execution'
CMD_VEL = 'cmd_vel'
ODOM = 'odom'
MAP = 'map'
REWARD_MAP = 'reward_map'
MARKERS = 'markers'
DIAGNOSTICS = '/diagnostics'    # the one name that all robots share

GET_TASK = 'get_task'
QUERY_DEMONSTRATOR = 'query_demonstrator'
ASK_ABOUT = 'ask_about'

START = '~/start'
PAUSE = '~/pause'
UNDO = '~/undo'
REVISE = '~/revise'
RESET = '~/reset'
ENABLE = '~/enable'
STOP = '~/stop'

# The same, as others call them.
CONTROLLER_ENABLE = 'controller/enable'
LEARNER_UNDO = 'learner/undo'
