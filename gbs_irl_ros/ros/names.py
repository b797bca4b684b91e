"""
Names of topics and services: relative, so that namespaces and remapping work.

Names that belong to one node start with a tilde.
"""

WORLD = 'world'
POLICY = 'policy'
BELIEF = 'belief'
HISTORY = 'history'
HEARTBEAT = 'heartbeat'
DEMONSTRATION = 'demonstration'
QUESTION = 'question'
EXECUTION = 'execution'
CMD_VEL = 'cmd_vel'
ODOM = 'odom'
MAP = 'map'
REWARD_MAP = 'reward_map'
MARKERS = 'markers'
ROUTE = 'route'
DIAGNOSTICS = '/diagnostics'    # the one name that all robots share

GET_TASK = 'get_task'
QUERY_DEMONSTRATOR = 'query_demonstrator'
ASK_ABOUT = 'ask_about'

START = '~/start'
PAUSE = '~/pause'
FINISH = '~/finish'
UNDO = '~/undo'
REVISE = '~/revise'
RESET = '~/reset'
SHOW_PLACE = '~/show_place'
INVENT = '~/invent'
ENABLE = '~/enable'
STOP = '~/stop'

# The same, as others call them.
CONTROLLER_ENABLE = 'controller/enable'
CONTROLLER_STOP = 'controller/stop'
LEARNER_START = 'learner/start'
LEARNER_PAUSE = 'learner/pause'
LEARNER_FINISH = 'learner/finish'
LEARNER_UNDO = 'learner/undo'
LEARNER_REVISE = 'learner/revise'
LEARNER_RESET = 'learner/reset'
LEARNER_SHOW_PLACE = 'learner/show_place'
LEARNER_INVENT = 'learner/invent'
