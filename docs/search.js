// What is typed into the search box, before it is looked up.

// Every word is also looked up as the beginning of longer ones. So "in" would find "install": words that say nothing are left out, short
// ones must stand there as they are, and a plural finds the singular.
const SAYS_NOTHING = new Set((
  'a about after all an and any are as at be because been but by can could did do does for from get had has have how i if in into is it its ' +
  'me my of on or our should so than that the their them then there these they this those to was we were what when where which who why will ' +
  'with would you your').split(' '));

function asked(typed) {
  // Quotes and the signs of the search's own language are for those who know them.
  if (/["+~^*]/.test(typed)) return typed;
  const words = typed.toLowerCase().split(/[\s\-–,:;!?=[\]()“”`/.'’]+/).filter(Boolean);
  const telling = words.filter((word) => !SAYS_NOTHING.has(word));
  if (words.length < 2 || !telling.length) return typed;
  return telling.map((word) => {
    if (word.length < 3) return `${word}^1`;
    return word.length > 4 ? word.replace(/([^s])s$/, '$1') : word;
  }).join(' ');
}

// A message of type 2 is a question.
window.Worker = class extends window.Worker {
  postMessage(message) {
    super.postMessage(message.type === 2 ? { ...message, data: asked(message.data) } : message);
  }
};
