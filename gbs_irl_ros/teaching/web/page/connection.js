// The line to the node: sections come in, commands go out. It reconnects by itself.

import { language } from './language.js';
import { SENDING } from './texts.js';

const RETRY_FIRST_MS = 250;
const RETRY_MAX_MS = 4000;
const PATIENCE_MS = 15000;
const THINKING_MS = 65000;      // for what the learner has to plan first
const THINKING = ['invent', 'show_place', 'say'];
const SILENCE_MS = 6000;        // the node gives a sign of life every two seconds

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Connection {
  /**
   * @param token the key of the page
   * @param on {now(sections), state('open' | 'lost' | 'refused', reason)}
   */
  constructor(token, on) {
    this.token = token;
    this.on = on;
    this.number = 0;
    this.waiting = new Map();
    this.retry = RETRY_FIRST_MS;
    this.isOpen = false;
    this.open();
    // A phone that wakes up, or a network that returns, need not wait for the next try.
    const hurry = () => { if (!document.hidden && !this.isOpen) this.again(0); };
    addEventListener('online', hurry);
    document.addEventListener('visibilitychange', hurry);
  }

  open() {
    clearTimeout(this.timer);
    if (this.socket) {
      this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
      this.socket.close();
    }
    const socket = new WebSocket(`ws://${location.host}/api/live`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ token: this.token, language }));
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = (event) => this.lost(event);
    this.listen();
  }

  /** Count silence as a lost line: one that is cut says nothing. */
  listen() {
    clearTimeout(this.silence);
    const { socket } = this;
    this.silence = setTimeout(() => {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
      this.lost({ code: 0, reason: 'silence' });
    }, SILENCE_MS);
  }

  again(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), delay);
  }

  hear(message) {
    this.listen();
    if (message.now) {
      const first = !this.isOpen;
      this.isOpen = true;
      this.retry = RETRY_FIRST_MS;
      if (first) this.on.state('open', '');
      this.on.now(message.now);
      return;
    }
    const asked = this.waiting.get(message.reply);
    if (!asked) return;
    this.waiting.delete(message.reply);
    clearTimeout(asked.timer);
    if (message.status === 200) asked.done(message.result);
    else asked.failed(new Refused(message.status, message.message));
  }

  lost(event) {
    this.isOpen = false;
    clearTimeout(this.silence);
    for (const asked of this.waiting.values()) {
      clearTimeout(asked.timer);
      asked.failed(new Refused(0, SENDING.lost));
    }
    this.waiting.clear();
    if (event.code === 4401) {
      this.on.state('refused', event.reason);
      return;
    }
    this.on.state('lost', event.reason);
    this.again(this.retry);
    this.retry = Math.min(2 * this.retry, RETRY_MAX_MS);
  }

  /** Have a command carried out; the promise fails with Refused, status 0 if nobody heard. */
  send(command, fields = {}, patience = THINKING.includes(command) ? THINKING_MS : PATIENCE_MS) {
    if (!this.isOpen) return Promise.reject(new Refused(0, SENDING.noConnection));
    this.number += 1;
    const number = this.number;
    return new Promise((done, failed) => {
      const timer = setTimeout(() => {
        this.waiting.delete(number);
        failed(new Refused(0, SENDING.silent));
      }, patience);
      this.waiting.set(number, { done, failed, timer });
      this.socket.send(JSON.stringify({ do: command, number, with: fields }));
    });
  }
}
