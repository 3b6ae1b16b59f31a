/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** JMESPath for scripts: `jmespath(data, "people[?age > `20`].name")`. */
export function createJmespath() {
  const PATTERN =
    /\s*(?:("(?:[^"\\]|\\.)*")|('(?:[^'\\]|\\.)*')|(`(?:[^`\\]|\\.)*`)|([A-Za-z_]\w*)|(-?\d+)|(\|\||&&|==|!=|<=|>=|\[\?|\[\]|[.*[\]{}(),:|<>!@&]))/y;
  function tokenize(text) {
    const tokens = [];
    PATTERN.lastIndex = 0;
    while (PATTERN.lastIndex < text.trimEnd().length) {
      const at = PATTERN.lastIndex;
      const match = PATTERN.exec(text);
      if (!match) throw new SyntaxError(`JMESPath: ${text.slice(at, at + 20)} can't be read.`);
      const [, quoted, raw, literal, name, number, sign] = match;
      if (quoted !== undefined)
        tokens.push({
          kind: "name",
          value: JSON.parse(quoted),
        });
      else if (raw !== undefined)
        tokens.push({
          kind: "value",
          value: raw.slice(1, -1).replaceAll("\\'", "'"),
        });
      else if (literal !== undefined)
        tokens.push({
          kind: "value",
          value: parseLiteral(literal.slice(1, -1)),
        });
      else if (name !== undefined)
        tokens.push({
          kind: "name",
          value: name,
        });
      else if (number !== undefined)
        tokens.push({
          kind: "number",
          value: Number(number),
        });
      else
        tokens.push({
          kind: sign ?? "",
          value: sign,
        });
    }
    return [
      ...tokens,
      {
        kind: "end",
        value: "",
      },
    ];
  }
  function parseLiteral(text) {
    const plain = text.replaceAll("\\`", "`");
    try {
      return JSON.parse(plain);
    } catch {
      return plain.trim();
    }
  }
  const isFalse = (value) =>
    value === null ||
    value === undefined ||
    value === false ||
    value === "" ||
    (Array.isArray(value)
      ? value.length === 0
      : typeof value === "object" && Object.keys(value).length === 0);
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const member = (data, name) =>
    data !== null && typeof data === "object" && !Array.isArray(data) && Object.hasOwn(data, name)
      ? data[name]
      : null;
  const known = (values) => values.filter((value) => value !== null && value !== undefined);
  const FUNCTIONS = {
    abs: (n) => Math.abs(n),
    avg: (list) => (list.length === 0 ? null : list.reduce((sum, n) => sum + n, 0) / list.length),
    ceil: (n) => Math.ceil(n),
    contains: (where, what) =>
      typeof where === "string" ? where.includes(what) : where.some((one) => same(one, what)),
    ends_with: (text, end) => text.endsWith(end),
    floor: (n) => Math.floor(n),
    join: (by, list) => list.join(by),
    keys: (object) => Object.keys(object),
    length: (value) =>
      typeof value === "object" && !Array.isArray(value) ? Object.keys(value).length : value.length,
    map: (by, list) => list.map(by),
    max: (list) => list.reduce((a, b) => (a === null || b > a ? b : a), null),
    max_by: (list, by) => list.reduce((a, b) => (a === null || by(b) > by(a) ? b : a), null),
    merge: (...objects) => Object.assign({}, ...objects),
    min: (list) => list.reduce((a, b) => (a === null || b < a ? b : a), null),
    min_by: (list, by) => list.reduce((a, b) => (a === null || by(b) < by(a) ? b : a), null),
    not_null: (...values) => known(values)[0] ?? null,
    reverse: (value) =>
      typeof value === "string" ? [...value].toReversed().join("") : value.toReversed(),
    sort: (list) => list.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    sort_by: (list, by) => list.toSorted((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0)),
    starts_with: (text, start) => text.startsWith(start),
    sum: (list) => list.reduce((sum, n) => sum + n, 0),
    to_array: (value) => (Array.isArray(value) ? value : [value]),
    to_number: (value) => (Number.isFinite(Number(value)) && value !== "" ? Number(value) : null),
    to_string: (value) => (typeof value === "string" ? value : JSON.stringify(value)),
    type: (value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value),
    values: (object) => Object.values(object),
  };
  const POWER = {
    "|": 1,
    "||": 2,
    "&&": 3,
    "==": 5,
    "!=": 5,
    "<": 5,
    ">": 5,
    "<=": 5,
    ">=": 5,
    "[]": 9,
    "*": 20,
    ".": 40,
    "[?": 21,
    "[": 55,
    "(": 60,
  };
  function parse(text) {
    const tokens = tokenize(text);
    let at = 0;
    const peek = () =>
      tokens[at] ?? {
        kind: "end",
        value: "",
      };
    const take = () =>
      tokens[at++] ?? {
        kind: "end",
        value: "",
      };
    const expect = (kind) => {
      const token = take();
      if (token.kind !== kind)
        throw new SyntaxError(`JMESPath: ${kind} is missing before ${token.value || "the end"}.`);
      return token;
    };
    function expression(power) {
      let left = prefix(take());
      while (power < (POWER[peek().kind] ?? 0)) left = infix(left, take());
      return left;
    }
    function prefix({ kind, value }) {
      switch (kind) {
        case "value":
          return () => value;
        case "name":
          if (peek().kind === "(") return call(value);
          return (data) => member(data, value) ?? null;
        case "@":
          return (data) => data;
        case "!": {
          const inner = expression(45);
          return (data) => isFalse(inner(data));
        }
        case "&": {
          const inner = expression(0);
          return () => inner;
        }
        case "(": {
          const inner = expression(0);
          expect(")");
          return inner;
        }
        case "*":
          return project((data) =>
            data && typeof data === "object" && !Array.isArray(data) ? Object.values(data) : null,
          );
        case "[":
          return index((data) => data);
        case "[]":
          return project((data) => (Array.isArray(data) ? data.flat() : null));
        case "[?":
          return filter((data) => data);
        case "{":
          return pairs();
        default:
          throw new SyntaxError(`JMESPath: ${value || "the end"} is out of place.`);
      }
    }
    function infix(left, { kind }) {
      switch (kind) {
        case ".": {
          if (peek().kind === "*") {
            take();
            return project((data) => {
              const value = left(data);
              return value && typeof value === "object" && !Array.isArray(value)
                ? Object.values(value)
                : null;
            });
          }
          const right = dotted();
          return (data) => {
            const value = left(data);
            return value === null || value === undefined ? null : right(value);
          };
        }
        case "|": {
          const right = expression(1);
          return (data) => right(left(data));
        }
        case "||": {
          const right = expression(2);
          return (data) => {
            const value = left(data);
            return isFalse(value) ? right(data) : value;
          };
        }
        case "&&": {
          const right = expression(3);
          return (data) => {
            const value = left(data);
            return isFalse(value) ? value : right(data);
          };
        }
        case "[]":
          return project((data) => {
            const value = left(data);
            return Array.isArray(value) ? value.flat() : null;
          });
        case "[":
          return index(left);
        case "[?":
          return filter(left);
        default: {
          const right = expression(5);
          return (data) => compare(kind, left(data), right(data));
        }
      }
    }
    function compare(kind, one, other) {
      if (kind === "==") return same(one, other);
      if (kind === "!=") return !same(one, other);
      if (typeof one !== "number" || typeof other !== "number") return null;
      return kind === "<"
        ? one < other
        : kind === ">"
          ? one > other
          : kind === "<="
            ? one <= other
            : one >= other;
    }
    function dotted() {
      const token = take();
      if (token.kind === "name") return prefix(token);
      if (token.kind === "[") return list();
      if (token.kind === "{") return pairs();
      throw new SyntaxError(`JMESPath: a name is missing before ${token.value || "the end"}.`);
    }
    function project(values) {
      let each = (data) => data;
      while ((POWER[peek().kind] ?? 0) > 9) each = infix(each, take());
      return (data) => {
        const all = values(data);
        return Array.isArray(all) ? known(all.map((one) => each(one))) : null;
      };
    }
    function filter(left) {
      const condition = expression(0);
      expect("]");
      return project((data) => {
        const value = left(data);
        return Array.isArray(value) ? value.filter((one) => !isFalse(condition(one))) : null;
      });
    }
    function index(left) {
      if (peek().kind === "*") {
        take();
        expect("]");
        return project((data) => {
          const value = left(data);
          return Array.isArray(value) ? value : null;
        });
      }
      if (peek().kind !== "number" && peek().kind !== ":") {
        const inner = list();
        return (data) => inner(left(data));
      }
      const parts = [undefined];
      while (peek().kind !== "]") {
        const token = take();
        if (token.kind === ":") parts.push(undefined);
        else if (token.kind === "number") parts[parts.length - 1] = token.value;
        else throw new SyntaxError("JMESPath: an index is a number.");
      }
      expect("]");
      const [start] = parts;
      if (parts.length === 1) {
        return (data) => {
          const value = left(data);
          return Array.isArray(value) ? (value.at(start ?? 0) ?? null) : null;
        };
      }
      return project((data) => slice(left(data), parts));
    }
    function slice(value, [start, end, step = 1]) {
      if (!Array.isArray(value)) return null;
      if (step > 0) return value.slice(start ?? 0, end).filter((_, place) => place % step === 0);
      return value.toReversed().filter((_, place) => place % -step === 0);
    }
    function list() {
      const parts = [];
      do parts.push(expression(0));
      while (peek().kind === "," && take());
      expect("]");
      return (data) => (data === null ? null : parts.map((part) => part(data) ?? null));
    }
    function pairs() {
      const parts = [];
      do {
        const name = String(expect("name").value);
        expect(":");
        parts.push([name, expression(0)]);
      } while (peek().kind === "," && take());
      expect("}");
      return (data) =>
        data === null
          ? null
          : Object.fromEntries(parts.map(([name, part]) => [name, part(data) ?? null]));
    }
    function call(name) {
      const run = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
      if (!run) throw new SyntaxError(`JMESPath has no function ${name}.`);
      expect("(");
      const args = [];
      while (peek().kind !== ")") {
        args.push(expression(0));
        if (peek().kind === ",") take();
      }
      expect(")");
      return (data) => run(...args.map((arg) => arg(data)));
    }
    const program = expression(0);
    expect("end");
    return program;
  }
  return (data, text) => parse(String(text))(data ?? null) ?? null;
}
