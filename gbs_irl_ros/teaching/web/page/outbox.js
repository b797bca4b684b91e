// What the teacher has said and the learner has not confirmed yet. It survives reloads and lost
// connections: an answer leaves this box only when the learner says that it is on disk, or when
// it is not wanted any more.

const PLACE = 'gbs-irl-outbox';
const NO_LESSON = 'none';

export class Outbox {
  /** @param on {changed(items), late(item), refused(item, message), doubtful(item)} */
  constructor(send, on) {
    this.send = send;
    this.on = on;
    this.flying = new Set();
    this.keep(this.read());
  }

  read() {
    try {
      const items = JSON.parse(localStorage.getItem(PLACE) || '[]');
      return Array.isArray(items) ? items : [];
    } catch {
      return [];
    }
  }

  write(items) {
    try {
      localStorage.setItem(PLACE, JSON.stringify(items));
    } catch { /* private mode, or full: it is still kept in this page */ }
    this.keep(items);
  }

  keep(items) {
    this.items = items;
    this.on.changed(items);
  }

  /** Another tab has changed what is kept; what is on its way from here stays. */
  reread() {
    const kept = this.read();
    const known = new Set(kept.map((item) => item.id));
    this.keep([...kept, ...this.items.filter(
      (item) => this.flying.has(item.id) && !known.has(item.id))]);
  }

  /** Keep an answer or a demonstration and send it. `id` is what the learner will confirm. */
  put(item) {
    if (this.has(item.id)) return;
    this.write([...this.items, item]);
    this.fly(item);
  }

  has(id) {
    return this.items.some((item) => item.id === id);
  }

  drop(id) {
    this.write(this.items.filter((item) => item.id !== id));
  }

  fly(item) {
    if (this.flying.has(item.id)) return;
    this.flying.add(item.id);
    this.send(item.command, item.fields).catch((problem) => {
      // 409: not asked any more. Perhaps it had arrived before, perhaps somebody else was faster:
      // the next belief and history tell. 0, 503: nobody heard it, and it is tried again.
      if (problem.status === 409) {
        item.doubtful = true;
        if (!this.has(item.id)) this.on.doubtful(item);     // the belief was here first
      } else if (problem.status !== 0 && problem.status !== 503) {
        this.drop(item.id);
        this.on.refused(item, problem.message);
      }
    }).finally(() => this.flying.delete(item.id));
  }

  /** Look at what the node shows: send again what is asked for, drop what has arrived. */
  look(question, belief) {
    if (!belief) return;
    const known = new Set(belief.acknowledged);
    for (const item of this.items) {
      if (known.has(item.id)) {
        this.drop(item.id);
        if (item.doubtful) this.on.doubtful(item);
      } else if (item.session !== belief.session) {
        if (belief.session !== NO_LESSON) this.drop(item.id);     // of another lesson
      } else if (item.command !== 'answer') {
        this.fly(item);
      } else if (question && question.id === item.id) {
        this.fly(item);
      } else if (belief.question !== item.id) {
        this.drop(item.id);
        this.on.late(item);
      }
    }
  }
}
