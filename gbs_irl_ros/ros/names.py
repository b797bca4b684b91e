"""
Names of topics and services: relative, so that namespaces and remapping work.

Names that belong to one node start with a tilde.
"""

from gbs_irl_ros.learning.nav2_files import INFO_TOPIC, MASK_TOPIC

WORLD = 'world'
POLICY = 'policy'
BELIEF = 'belief'
HISTORY = 'history'
HEARTBEAT = 'heartbeat'
DEMONSTRATION = 'demonstration'
QUESTION = 'question'
EXECUTION = 'execution'
WATCHED = 'watched'
CMD_VEL = 'cmd_vel'
CMD_VEL_OUT = 'cmd_vel_out'     # of the relay, to a base
ODOM = 'odom'
TF = '/tf'                      # as everybody calls them; a launch file may remap them
TF_STATIC = '/tf_static'
TASK_MAP = 'task_map'           # not map: that is Nav2's, whose static layer would take it
REWARD_MAP = 'reward_map'
MARKERS = 'markers'
ROUTE = 'route'
KEEPOUT_MASK = MASK_TOPIC       # as `gbs-irl export` writes them for Nav2
LEARNED_GOAL = 'learned_goal'
COSTMAP_FILTER_INFO = INFO_TOPIC
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
GO = '~/go'
STOP = '~/stop'
CHANGE_STATE = '~/change_state'
GET_STATE = '~/get_state'
GET_AVAILABLE_STATES = '~/get_available_states'
GET_AVAILABLE_TRANSITIONS = '~/get_available_transitions'
GET_TRANSITION_GRAPH = '~/get_transition_graph'
TRANSITION_EVENT = '~/transition_event'

# The same, as others call them.
CONTROLLER_ENABLE = 'controller/enable'
CONTROLLER_GO = 'controller/go'
CONTROLLER_STOP = 'controller/stop'
LEARNER_START = 'learner/start'
LEARNER_PAUSE = 'learner/pause'
LEARNER_FINISH = 'learner/finish'
LEARNER_UNDO = 'learner/undo'
LEARNER_REVISE = 'learner/revise'
LEARNER_RESET = 'learner/reset'
LEARNER_SHOW_PLACE = 'learner/show_place'
LEARNER_INVENT = 'learner/invent'
