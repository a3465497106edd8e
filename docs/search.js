// What is typed into the search box, before it is looked up.

// Every word is also looked up as the beginning of longer ones. So "in" would find "install": words that say nothing are left out, single
// letters too, short ones must stand there as they are, and of a longer one the beginning is looked up: "weighted" finds "weights".
const SAYS_NOTHING = new Set((
  'a about after all an and any are as at be because been but by can could did do does for from get had has have how i if in into is it its ' +
  'me my of on or our should so than that the their them then there these they this those to was we were what when where which who why will ' +
  'with would you your').split(' '));

function asked(typed) {
  // Quotes and the signs of the search's own language are for those who know them.
  if (/["+~^*]/.test(typed)) return typed;
  const words = typed.toLowerCase().split(/[\s\-–,:;!?=[\]()“”`/.'’]+/).filter(Boolean);
  const telling = words.filter((word) => !SAYS_NOTHING.has(word) && !/^[a-z]$/.test(word));
  if (words.length < 2 || !telling.length) return typed;
  return telling.map((word) => {
    if (word.length < 3) return `${word}^1`;
    if (word.length < 5) return word;
    const stem = word.replace(/([^s])s$/, '$1').replace(/^(.{4,})(ing|ed)$/, '$1').replace(/([bdgmnprt])\1$/, '$1');
    return stem.length < 4 ? `${stem}^1 ${word}^1` : stem;
  }).join(' ');
}

// A message of type 2 is a question.
window.Worker = class extends window.Worker {
  postMessage(message) {
    super.postMessage(message.type === 2 ? { ...message, data: asked(message.data) } : message);
  }
};
