// Search runs in a worker, and browsers refuse workers to pages that are opened from a folder: there a hidden frame takes its place.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement('iframe');
      frame.hidden = true;
      frame.srcdoc = '<!doctype html>';
      frame.onload = () => this.begin(frame.contentWindow, url);
      document.body.append(frame);
    }

    begin(inner, url) {
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
      // Only languages other than English need further scripts.
      inner.importScripts = () => Promise.resolve();
      const script = inner.document.createElement('script');
      script.src = url;
      script.onload = () => {
        this.inner = inner;
        this.waiting.forEach((data) => this.postMessage(data));
      };
      inner.document.body.append(script);
    }

    postMessage(data) {
      if (this.inner) this.inner.dispatchEvent(new MessageEvent('message', { data }));
      else this.waiting.push(data);
    }
  };
}
