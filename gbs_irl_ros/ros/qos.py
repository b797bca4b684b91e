"""What each kind of topic needs of the middleware."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

# The current state of something: whoever joins late gets the last one.
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)

# The same for one who must miss none of those that come at once.
ALL_STATES = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE,
                        durability=DurabilityPolicy.TRANSIENT_LOCAL)

# Things that happened: none may be lost.
EVENTS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)

# Signs of life: only the newest counts, and an old one must not be sent again.
HEARTBEATS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)

# A stream in which only the newest counts, from publishers of any kind.
STREAM = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)

# Transforms of many publishers of any kind, and those that never change, of all publishers.
TRANSFORMS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
STATIC_TRANSFORMS = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE,
                               durability=DurabilityPolicy.TRANSIENT_LOCAL)

# Commands to a base: the newest, and that one for certain.
COMMANDS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)

# Pictures made of several messages: whoever joins late gets the last of each kind.
PICTURES = QoSProfile(depth=20, reliability=ReliabilityPolicy.RELIABLE,
                      durability=DurabilityPolicy.TRANSIENT_LOCAL)
