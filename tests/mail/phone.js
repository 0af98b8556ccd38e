// What a page shows: where its parts stand, its buttons, the least contrast. `arguments[0]`: the ground without any.
const seen = node => node.getBoundingClientRect();
const number = text => (text.match(/[\d.]+/g) || []).map(Number);
const end = node => node ? Math.round(seen(node).bottom) : 0;

function lines(node) {
  const style = getComputedStyle(node);
  return Math.round((seen(node).height - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom))
    / parseFloat(style.lineHeight));
}

function lightness([r, g, b]) { return (Math.max(r, g, b) + Math.min(r, g, b)) / 510; }
function turned([r, g, b]) {
  const from = lightness([r, g, b]), to = 0.07 + 0.93 * (1 - from), high = Math.max(r, g, b), low = Math.min(r, g, b);
  const full = 1 - Math.abs(2 * from - 1), chroma = full ? (high - low) / 255 / full : 0;
  const span = chroma * (1 - Math.abs(2 * to - 1)), least = to - span / 2;
  return [r, g, b].map(part => 255 * (high === low ? to : least + span * (part - low) / (high - low)));
}
function luminance(colour) {
  const [r, g, b] = colour.map(part => part / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}
function groundOf(node) {
  for (; node; node = node.parentElement) {
    const found = number(getComputedStyle(node).backgroundColor);
    if (found.length === 3 || found[3] > 0) return found.slice(0, 3);
  }
  return null;
}

const bare = arguments[0], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const least = {plain: [99, ""], inverted: [99, ""], half: [99, ""]};
while (walk.nextNode()) {
  const text = walk.currentNode, node = text.parentElement;
  if (!text.data.trim()) continue;
  let opacity = 1;
  for (let up = node; up; up = up.parentElement) opacity *= parseFloat(getComputedStyle(up).opacity);
  const colour = number(getComputedStyle(node).color).slice(0, 3), ground = groundOf(node);
  const pairs = {
    plain: [colour, ground || bare],
    inverted: [turned(colour), ground ? turned(ground) : [18, 18, 18]],
    half: [
      lightness(colour) < 0.5 ? turned(colour) : colour,
      ground ? (lightness(ground) > 0.5 ? turned(ground) : ground) : [31, 31, 31],
    ],
  };
  for (const [kind, [ink, behind]] of Object.entries(pairs)) {
    const mixed = ink.map((part, at) => part * opacity + behind[at] * (1 - opacity));
    const found = contrast(mixed, behind);
    if (found < least[kind][0]) least[kind] = [found, text.data.trim().slice(0, 60)];
  }
}
const buttons = [...document.querySelectorAll('a[href^="mailto:"]')];
const head = document.querySelector("h1");
const tags = [...document.querySelectorAll("div")].filter(div => /^\[\S+ \S+ [0-9a-f-]+\]$/.test(div.innerText.trim()));
return {
  head: head ? lines(head) : 0,
  title: head ? head.innerText : "",
  due: end(head && head.nextElementSibling),
  first: buttons.length ? Math.round(seen(buttons[0]).top) : 0,
  heights: buttons.map(a => seen(a).height),
  gaps: buttons.slice(1).map((a, at) => seen(a).top - seen(buttons[at]).bottom),
  labels: buttons.map(a => a.innerText),
  rows: buttons.map(a => [...a.querySelectorAll("b, span")].map(part => lines(part))),
  links: buttons.map(a => a.href),
  wide: document.documentElement.scrollWidth,
  tag: tags.map(div => Math.round(seen(div).height / parseFloat(getComputedStyle(div).lineHeight))),
  tagWide: tags.map(div => div.scrollWidth > div.clientWidth),
  contrast: least,
  pictures: [...document.images].map(img => [img.getAttribute("src"), img.alt, img.getAttribute("width")]),
  words: document.body.innerText.split(/\s+/).length,
  text: document.body.innerText,
};
