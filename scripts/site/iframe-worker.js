// Pages opened from a folder (file://) may not start workers, so the search runs in a hidden frame there. The theme's
// search uses postMessage, onmessage, addEventListener, terminate and importScripts, and so does this.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.onmessage = null;
      this.waiting = [];  // messages before the frame has loaded
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.tabIndex = -1;
      document.body.append(this.frame);
      this.start(String(address));
    }

    start(address) {
      const inside = this.frame.contentWindow;
      inside.importScripts = (...scripts) => scripts.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
      inside.postMessage = (data) => this.answer(data);
      this.load(address).then(() => {
        const messages = this.waiting;
        this.waiting = null;
        messages.forEach((data) => this.postMessage(data));
      });
    }

    load(address) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = done;
        script.onerror = failed;
        this.frame.contentDocument.head.append(script);
      });
    }

    answer(data) {
      const event = new MessageEvent("message", {data});
      this.onmessage?.(event);
      this.dispatchEvent(event);
    }

    postMessage(data) {
      if (this.waiting) return this.waiting.push(data);
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", {data}));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
