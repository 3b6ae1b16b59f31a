/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** HTML, XML, feeds and Markdown for imported workflows, as trees of `{ tag, attributes, children }` and texts. */
export function addMarkup(n8n) {
  const VOID = new Set(
    "area base br col embed hr img input link meta param source track wbr".split(" "),
  );
  const RAW = new Set(["script", "style", "textarea", "title"]);
  const ENTITIES = {
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    hellip: "…",
    mdash: "—",
    ndash: "–",
    rsquo: "’",
    lsquo: "‘",
    ldquo: "“",
    rdquo: "”",
    copy: "©",
  };
  const decode = (text) =>
    text.replaceAll(/&(#x?[0-9a-f]+|\w+);/gi, (whole, name) => {
      if (name[0] !== "#") return ENTITIES[name] ?? whole;
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
  const encode = (text) =>
    String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  function parse(source, isXml = false) {
    const root = { tag: "#root", attributes: {}, children: [] };
    const open = [root];
    const pattern =
      /<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<[!?][^>]*>|<\/([^\s>]+)[^>]*>|<([A-Za-z_][^\s/>]*)((?:\s+[^\s=/>]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))?)*)\s*(\/?)>|[^<]+|</g;
    for (let found = pattern.exec(source); found; found = pattern.exec(source)) {
      const [whole, cdata, closing, opening, rest, self] = found;
      const at = open.at(-1);
      if (cdata !== undefined) at.children.push(cdata);
      else if (closing !== undefined) {
        const name = isXml ? closing : closing.toLowerCase();
        const index = open.findLastIndex(({ tag }) => tag === name);
        if (index > 0) open.length = index;
      } else if (opening !== undefined) {
        const tag = isXml ? opening : opening.toLowerCase();
        const attributes = {};
        for (const [, key, a, b, c] of rest.matchAll(
          /([^\s=/>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g,
        ))
          attributes[isXml ? key : key.toLowerCase()] = decode(a ?? b ?? c ?? "");
        const element = { tag, attributes, children: [], parent: at };
        at.children.push(element);
        if (self === "/" || (!isXml && VOID.has(tag))) continue;
        if (!isXml && RAW.has(tag)) {
          const end = source.toLowerCase().indexOf(`</${tag}`, pattern.lastIndex);
          const until = end < 0 ? source.length : end;
          element.children.push(source.slice(pattern.lastIndex, until));
          pattern.lastIndex = until;
        }
        open.push(element);
      } else if (!/^<[!?]|^<!--/.test(whole)) at.children.push(decode(whole));
    }
    return root;
  }
  const elements = (node) =>
    node.children.flatMap((one) => (typeof one === "string" ? [] : [one, ...elements(one)]));
  const textOf = (node) =>
    typeof node === "string"
      ? node
      : node.tag === "script" || node.tag === "style"
        ? ""
        : node.children.map(textOf).join(node.tag === "br" ? "\n" : "");
  const htmlOf = (node) => {
    if (typeof node === "string") return encode(node);
    const inner = node.children.map(htmlOf).join("");
    if (node.tag === "#root") return inner;
    const attributes = Object.entries(node.attributes).map(
      ([name, value]) => ` ${name}="${encode(value).replaceAll('"', "&quot;")}"`,
    );
    return VOID.has(node.tag)
      ? `<${node.tag}${attributes.join("")}>`
      : `<${node.tag}${attributes.join("")}>${inner}</${node.tag}>`;
  };
  function fits(element, part) {
    const tokens =
      part.match(/^[\w-]+|\*|#[\w-]+|\.[\w-]+|\[[^\]]+\]|:[\w-]+(?:\([^)]*\))?/g) ?? [];
    if (tokens.join("") !== part) throw new Error(`The selector ${part} can't be read.`);
    const siblings = () =>
      (element.parent?.children ?? []).filter((one) => typeof one !== "string");
    return tokens.every((token) => {
      const name = token.slice(1);
      if (token === "*") return true;
      if (token[0] === "#") return element.attributes.id === name;
      if (token[0] === ".") return (element.attributes.class ?? "").split(/\s+/).includes(name);
      if (token[0] === "[") {
        const [, key, sign, quoted] =
          /^\[\s*([\w:-]+)\s*(?:([~|^$*]?=)\s*(.*?))?\s*\]$/.exec(token) ?? [];
        const value = element.attributes[key];
        const wanted = (quoted ?? "").replace(/^["']|["']$/g, "");
        if (value === undefined) return false;
        if (sign === undefined) return true;
        if (sign === "^=") return value.startsWith(wanted);
        if (sign === "$=") return value.endsWith(wanted);
        if (sign === "*=") return value.includes(wanted);
        if (sign === "~=") return value.split(/\s+/).includes(wanted);
        return value === wanted;
      }
      if (token[0] !== ":") return element.tag === token.toLowerCase();
      const index = siblings().indexOf(element) + 1;
      const alike = () => siblings().filter(({ tag }) => tag === element.tag);
      const [, kind, argument] = /^:([\w-]+)(?:\((.*)\))?$/.exec(token);
      if (kind === "first-child" || kind === "first") return index === 1;
      if (kind === "last-child" || kind === "last") return index === siblings().length;
      if (kind === "nth-child")
        return (
          index === Number(argument) ||
          (argument === "odd" && index % 2 === 1) ||
          (argument === "even" && index % 2 === 0)
        );
      if (kind === "nth-of-type") return alike().indexOf(element) + 1 === Number(argument);
      if (kind === "first-of-type") return alike()[0] === element;
      if (kind === "not") return !fits(element, argument);
      if (kind === "contains")
        return textOf(element).includes(argument.replace(/^["']|["']$/g, ""));
      throw new Error(`The selector ${token} is not known.`);
    });
  }
  function select(root, selector) {
    const all = elements(root);
    const chosen = new Set();
    for (const one of String(selector).split(/,(?![^[(]*[\])])/)) {
      const parts = one
        .trim()
        .replaceAll(/\s*([>+~])\s*(?![^[]*\])/g, " $1")
        .split(/\s+(?![^[(]*[\])])/);
      const holds = (element, at) => {
        const part = parts[at];
        const sign = /^[>+~]/.test(part) ? part[0] : " ";
        if (!fits(element, sign === " " ? part : part.slice(1))) return false;
        if (at === 0) return true;
        if (sign === ">") return element.parent !== undefined && holds(element.parent, at - 1);
        if (sign === "+" || sign === "~") {
          const before = (element.parent?.children ?? []).filter(
            (other) => typeof other !== "string",
          );
          const earlier = before.slice(0, before.indexOf(element));
          return (sign === "+" ? earlier.slice(-1) : earlier).some((other) => holds(other, at - 1));
        }
        for (let parent = element.parent; parent; parent = parent.parent)
          if (parent.tag !== "#root" && holds(parent, at - 1)) return true;
        return false;
      };
      for (const element of all) if (holds(element, parts.length - 1)) chosen.add(element);
    }
    return all.filter((element) => chosen.has(element));
  }
  // The values of `extractHtmlContent`: `{ key, cssSelector, returnValue, attribute, returnArray, skipSelectors }`.
  n8n.htmlExtract = (html, values, { trim = true, clean = false } = {}) => {
    const root = parse(n8n.text(html));
    const tidy = (text) => {
      const cut = trim ? text.trim() : text;
      return clean ? cut.replaceAll(/\s+/g, " ") : cut;
    };
    return Object.fromEntries(
      values.map(
        ({
          key,
          cssSelector,
          returnValue = "text",
          attribute,
          returnArray = false,
          skipSelectors = "",
        }) => {
          const skipped = skipSelectors === "" ? [] : select(root, skipSelectors);
          const strip = (node) =>
            typeof node === "string"
              ? node
              : {
                  ...node,
                  children: node.children.filter((one) => !skipped.includes(one)).map(strip),
                };
          const found = select(root, cssSelector).map((element) => {
            const kept = skipped.length === 0 ? element : strip(element);
            if (returnValue === "attribute") return kept.attributes[attribute];
            if (returnValue === "value") return kept.attributes.value;
            return tidy(returnValue === "html" ? kept.children.map(htmlOf).join("") : textOf(kept));
          });
          const none = returnValue === "text" ? "" : undefined;
          return [key, returnArray ? found : (found[0] ?? none)];
        },
      ),
    );
  };
  n8n.htmlTable = (rows, { capitalize = false } = {}) => {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    const title = (name) =>
      encode(
        capitalize
          ? name.replaceAll(/[_-]+/g, " ").replaceAll(/\b\w/g, (one) => one.toUpperCase())
          : name,
      );
    const cell = (value) => `<td>${encode(n8n.text(value))}</td>`;
    return `<table><thead><tr>${names.map((name) => `<th>${title(name)}</th>`).join("")}</tr></thead><tbody>${rows.map((row) => `<tr>${names.map((name) => cell(row[name])).join("")}</tr>`).join("")}</tbody></table>`;
  };
  const toValue = (element, options) => {
    const {
      explicitArray = false,
      mergeAttrs = true,
      ignoreAttrs = false,
      trim = false,
      attrkey = "$",
      charkey = "_",
    } = options;
    const kept = ignoreAttrs ? {} : element.attributes;
    const value = mergeAttrs
      ? { ...kept }
      : Object.keys(kept).length > 0
        ? { [attrkey]: kept }
        : {};
    const words = element.children.filter((one) => typeof one === "string").join("");
    const inner = element.children.filter((one) => typeof one !== "string");
    for (const child of inner) {
      const made = toValue(child, options);
      const name = options.normalizeTags ? child.tag.toLowerCase() : child.tag;
      if (Object.hasOwn(value, name) && !(mergeAttrs && Object.hasOwn(kept, name))) {
        value[name] = Array.isArray(value[name]) ? [...value[name], made] : [value[name], made];
      } else value[name] = explicitArray ? [made] : made;
    }
    const text = trim || inner.length > 0 ? words.trim() : words;
    if (Object.keys(value).length === 0) return text;
    return text.trim() === "" ? value : { ...value, [charkey]: text };
  };
  n8n.xml = (text, options = {}) => {
    const [root] = parse(n8n.text(text), true).children.filter((one) => typeof one !== "string");
    if (!root) throw new Error("There is no XML.");
    const value = toValue(root, options);
    return options.explicitRoot === false
      ? n8n.toList(value)[0]
      : { [options.normalizeTags ? root.tag.toLowerCase() : root.tag]: value };
  };
  // Writes elements like the XML builder of n8n: one per line, with self-closing empty elements.
  const writeXml = (name, value, options, indent = "") => {
    const { attrkey = "$", charkey = "_", cdata = false } = options;
    const write = (one) =>
      cdata && typeof one === "string" && /[&<>]/.test(one)
        ? `<![CDATA[${one.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`
        : n8n.text(one).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    if (typeof value !== "object" || value === null)
      return n8n.text(value) === ""
        ? `${indent}<${name}/>`
        : `${indent}<${name}>${write(value)}</${name}>`;
    const { [attrkey]: attributes, [charkey]: words, ...rest } = value;
    const marks = Object.entries(Object(attributes)).map(
      ([key, one]) => ` ${key}="${encode(n8n.text(one)).replaceAll('"', "&quot;")}"`,
    );
    const open = `${indent}<${name}${marks.join("")}`;
    const deeper = `${indent}  `;
    // List items without a parent become elements.
    const members = Array.isArray(value)
      ? value.flatMap((one) => Object.entries(Object(one)))
      : Object.entries(rest);
    const lines = members.flatMap(([key, one]) =>
      (Array.isArray(one) ? one : [one]).map((each) => writeXml(key, each, options, deeper)),
    );
    const text = words === undefined ? "" : write(words);
    if (lines.length === 0) return text === "" ? `${open}/>` : `${open}>${text}</${name}>`;
    const all = text === "" ? lines : [`${deeper}${text}`, ...lines];
    return `${open}>\n${all.join("\n")}\n${indent}</${name}>`;
  };
  n8n.toXml = (value, options = {}) => {
    const { rootName = "root", headless = false } = options;
    const keys = Object.keys(value);
    const body =
      keys.length === 1 && rootName === "root"
        ? writeXml(keys[0], value[keys[0]], options)
        : writeXml(rootName, value, options);
    return `${headless ? "" : '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'}${body}`;
  };
  // The entries of a feed, RSS or Atom.
  n8n.feed = (text) => {
    const root = parse(n8n.text(text), true);
    const part = (element, ...names) => element.children.find((one) => names.includes(one.tag));
    return elements(root)
      .filter(({ tag }) => tag === "item" || tag === "entry")
      .map((entry) => {
        const words = (...names) => {
          const found = names.map((name) => part(entry, name)).find((one) => one !== undefined);
          return found === undefined ? undefined : textOf(found).trim();
        };
        const date = words("pubDate", "published", "updated", "dc:date");
        const content = words("content:encoded", "content", "description", "summary");
        const iso = date === undefined ? undefined : new Date(date);
        const categories = entry.children
          .filter(({ tag }) => tag === "category")
          .map((one) => textOf(one).trim() || one.attributes.term);
        return {
          creator: words("dc:creator", "author"),
          title: words("title"),
          link: part(entry, "link")?.attributes.href ?? words("link"),
          pubDate: date,
          content,
          contentSnippet: content === undefined ? undefined : textOf(parse(content)).trim(),
          guid: words("guid", "id"),
          categories: categories.length === 0 ? undefined : categories,
          isoDate: iso === undefined || Number.isNaN(iso.getTime()) ? undefined : iso.toISOString(),
        };
      });
  };
  n8n.toMarkdown = (html) => {
    const write = (node, list = "") => {
      if (typeof node === "string") return node.replaceAll(/\s+/g, " ");
      const inner = (mark = list) => node.children.map((one) => write(one, mark)).join("");
      const { tag, attributes } = node;
      if (/^h[1-6]$/.test(tag)) return `\n\n${"#".repeat(Number(tag[1]))} ${inner().trim()}\n\n`;
      if (tag === "p" || tag === "div" || tag === "section" || tag === "article" || tag === "tr")
        return `\n\n${inner().trim()}\n\n`;
      if (tag === "br") return "  \n";
      if (tag === "hr") return "\n\n---\n\n";
      if (tag === "strong" || tag === "b") return `**${inner().trim()}**`;
      if (tag === "em" || tag === "i") return `_${inner().trim()}_`;
      if (tag === "code") return `\`${textOf(node)}\``;
      if (tag === "pre") return `\n\n\`\`\`\n${textOf(node).trim()}\n\`\`\`\n\n`;
      if (tag === "a") return `[${inner().trim()}](${attributes.href ?? ""})`;
      if (tag === "img") return `![${attributes.alt ?? ""}](${attributes.src ?? ""})`;
      if (tag === "blockquote")
        return `\n\n${inner()
          .trim()
          .split("\n")
          .map((line) => `> ${line}`)
          .join("\n")}\n\n`;
      if (tag === "ul" || tag === "ol") {
        const items = node.children.filter((one) => one.tag === "li");
        const lines = items.map(
          (one, at) =>
            `${tag === "ol" ? `${at + 1}.` : "*"} ${one.children
              .map((child) => write(child))
              .join("")
              .trim()
              .replaceAll("\n", "\n    ")}`,
        );
        return `\n\n${lines.join("\n")}\n\n`;
      }
      if (tag === "td" || tag === "th") return `${inner().trim()} | `;
      if (tag === "script" || tag === "style" || tag === "head") return "";
      return inner();
    };
    return write(parse(n8n.text(html)))
      .replaceAll(/[ \t]+\n(?!\n)/g, "  \n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
  };
  const inline = (text) => {
    const codes = [];
    return encode(text)
      .replaceAll(/`([^`]+)`/g, (_, code) => `\u0000${codes.push(code) - 1}\u0000`)
      .replaceAll(/!\[([^\]]*)\]\(([^)\s]+)[^)]*\)/g, '<img src="$2" alt="$1" />')
      .replaceAll(/\[([^\]]+)\]\(([^)\s]+)[^)]*\)/g, '<a href="$2">$1</a>')
      .replaceAll(/\*\*([^*]+)\*\*|__([^_]+)__/g, (_, a, b) => `<strong>${a ?? b}</strong>`)
      .replaceAll(/\*([^*\n]+)\*|(?<![\w])_([^_\n]+)_(?!\w)/g, (_, a, b) => `<em>${a ?? b}</em>`)
      .replaceAll(/~~([^~]+)~~/g, "<del>$1</del>")
      .replaceAll(/\u0000(\d+)\u0000/g, (_, at) => `<code>${codes[Number(at)]}</code>`);
  };
  n8n.toHtml = (markdown, { breaks = false } = {}) => {
    const lines = n8n.text(markdown).replaceAll("\r\n", "\n").split("\n");
    const made = [];
    const row = (line) =>
      line
        .replace(/^\s*\||\|\s*$/g, "")
        .split("|")
        .map((one) => one.trim());
    for (let at = 0; at < lines.length;) {
      const line = lines[at];
      const take = (fits) => {
        const from = at;
        while (at < lines.length && fits(lines[at], at)) at += 1;
        return lines.slice(from, at);
      };
      const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
      if (line.trim() === "") at += 1;
      else if (/^```/.test(line)) {
        at += 1;
        const code = take((one) => !/^```/.test(one));
        at += 1;
        made.push(`<pre><code>${encode(code.join("\n"))}\n</code></pre>`);
      } else if (heading) {
        at += 1;
        made.push(`<h${heading[1].length}>${inline(heading[2])}</h${heading[1].length}>`);
      } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
        at += 1;
        made.push("<hr />");
      } else if (/^\s*>/.test(line)) {
        const quoted = take((one) => /^\s*>/.test(one)).map((one) => one.replace(/^\s*> ?/, ""));
        made.push(`<blockquote>\n${n8n.toHtml(quoted.join("\n"))}\n</blockquote>`);
      } else if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) {
        const tag = /^\s*\d/.test(line) ? "ol" : "ul";
        const items = take((one) => /^\s*([-*+]|\d+[.)])\s+/.test(one) || /^\s{2,}\S/.test(one));
        const texts = items.map(
          (one) => `<li>${inline(one.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "").trim())}</li>`,
        );
        made.push(`<${tag}>\n${texts.join("\n")}\n</${tag}>`);
      } else if (line.includes("|") && /^\s*\|?\s*:?-+/.test(lines[at + 1] ?? "")) {
        const [head, , ...rows] = take((one) => one.includes("|"));
        made.push(
          `<table><thead><tr>${row(head)
            .map((one) => `<th>${inline(one)}</th>`)
            .join("")}</tr></thead><tbody>${rows
            .map(
              (one) =>
                `<tr>${row(one)
                  .map((cell) => `<td>${inline(cell)}</td>`)
                  .join("")}</tr>`,
            )
            .join("")}</tbody></table>`,
        );
      } else {
        const words = take(
          (one, index) =>
            one.trim() !== "" &&
            (index === at || !/^(#{1,6}\s|```|\s*>|\s*([-*+]|\d+[.)])\s)/.test(one)),
        );
        if (words.length === 0) words.push(lines[at++]);
        made.push(`<p>${words.map(inline).join(breaks ? "<br />\n" : "\n")}</p>`);
      }
    }
    return made.join("\n");
  };
}
