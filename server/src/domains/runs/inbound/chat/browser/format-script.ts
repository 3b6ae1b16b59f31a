/**
 * The script that renders Markdown from models: paragraphs, lists, headings, code, emphasis and links. It creates
 * elements and sets their text, so text never becomes markup, and links lead to web addresses only. Patterns are
 * bounded, so the time is linear in the length.
 */
export const FORMAT_SCRIPT = `
const formatText = (text) => {
  const make = (tag, ...children) => {
    const element = document.createElement(tag);
    element.append(...children);
    return element;
  };
  const link = (href, words) => Object.assign(make("a", words), { href, target: "_blank", rel: "noopener noreferrer nofollow" });
  const span = /\`([^\`\\n]{1,2000})\`|\\*\\*([^*\\n]{1,2000})\\*\\*|\\*([^*\\s][^*\\n]{0,2000})\\*|\\[([^\\[\\]\\n]{1,500})\\]\\((https?:\\/\\/[^\\s()]{1,2000})\\)|(https?:\\/\\/[^\\s<>]{1,2000}[^\\s<>.,;:!?)\\]'"])/g;
  const inline = (line) => {
    const parts = [];
    let at = 0;
    for (const found of line.matchAll(span)) {
      const [whole, code, strong, stressed, words, address, bare] = found;
      parts.push(line.slice(at, found.index));
      at = found.index + whole.length;
      if (code !== undefined) parts.push(make("code", code));
      else if (strong !== undefined) parts.push(make("strong", strong));
      else if (stressed !== undefined) parts.push(make("em", stressed));
      else parts.push(link(address ?? bare, words ?? bare));
    }
    return [...parts, line.slice(at)];
  };
  const blocks = [];
  let open;
  const add = (kind, tag) => {
    if (open?.kind !== kind) blocks.push((open = { kind, element: make(tag) }).element);
    return open.element;
  };
  for (const line of text.split("\\n")) {
    const [, fence] = /^\\s{0,3}(\`\`\`)/.exec(line) ?? [];
    const [, heading] = /^#{1,6}\\s+(.*)$/.exec(line) ?? [];
    const [, point] = /^\\s{0,8}[-*+]\\s+(.*)$/.exec(line) ?? [];
    const [, number, step] = /^\\s{0,8}(\\d{1,6})[.)]\\s+(.*)$/.exec(line) ?? [];
    if (open?.kind === "code") {
      if (fence) open = undefined;
      else open.element.append(line + "\\n");
    } else if (fence) add("code", "pre");
    else if (heading !== undefined) {
      blocks.push(make("p", make("strong", ...inline(heading))));
      open = undefined;
    } else if (point !== undefined) add("points", "ul").append(make("li", ...inline(point)));
    else if (step !== undefined) {
      const list = add("steps", "ol");
      if (list.childElementCount === 0 && number !== "1") list.start = Number(number);
      list.append(make("li", ...inline(step)));
    } else if (line.trim() === "") {
      // Steps with a line between them are still those of one list.
      if (open?.kind === "text") open = undefined;
    } else {
      const words = inline(line);
      if (open?.kind === "text") open.element.append("\\n", ...words);
      else add("text", "p").append(...words);
    }
  }
  return blocks;
};
`;
