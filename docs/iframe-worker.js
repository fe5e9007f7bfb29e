// A page that is opened from a disk may not start workers. Here a hidden frame takes their place, so that the search works.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      const load = (source) => new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script");
        script.onload = resolve;
        script.onerror = () => reject(new Error(`cannot load ${source}`));
        script.src = source;
        this.inside.document.body.append(script);
      });
      this.inside.importScripts = (...sources) => sources.reduce((before, s) => before.then(() => load(s)), Promise.resolve());
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = load(url);
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() { this.inside.frameElement.remove(); }
  };
}
