/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Reads and writes item fields by path, using n8n types. */
export function addFields(n8n, { isObject, withFiles }) {
  // The segments of a path such as `a.b[0]["c d"]`.
  const partsOf = (path) =>
    [...String(path).matchAll(/\[(\d+)\]|\[(["'])(.*?)\2\]|[^.[\]]+/g)].map(
      ([whole, index, , quoted]) => index ?? quoted ?? whole,
    );
  // An existing field name with dots is not a path.
  const pathOf = (value, path) => {
    const parts = partsOf(path);
    const isName = parts.length === 0 || (isObject(value) && Object.hasOwn(value, String(path)));
    return isName ? [String(path)] : parts;
  };
  n8n.get = (value, path) => pathOf(value, path).reduce((at, name) => at?.[name], value);
  n8n.set = (value, path, member) => setPart(value, pathOf(value, path), member);
  n8n.unset = (value, path) => unsetPart(value, pathOf(value, path));
  const unsetPart = (value, [name, ...rest]) => {
    if (!isObject(value) || !Object.hasOwn(value, name)) return value;
    const { [name]: inner, ...others } = value;
    return rest.length === 0 ? others : { ...value, [name]: unsetPart(inner, rest) };
  };
  const setPart = (value, [name, ...rest], member) => {
    const isIndex = /^\d+$/.test(name);
    const known = Array.isArray(value)
      ? [...value]
      : isObject(value)
        ? { ...value }
        : isIndex
          ? []
          : {};
    if (["__proto__", "constructor", "prototype"].includes(name)) return known;
    // A numeric segment creates a list if the value is missing. The index is limited by the number of items.
    if (Array.isArray(known) && !(isIndex && Number(name) < 10_000)) return known;
    known[name] = rest.length === 0 ? member : setPart(known[name], rest, member);
    return known;
  };
  // The fields of a `set` node, converted to their types, added to the kept fields of the item.
  n8n.assign = (base, fields, { version, ignore = false, dots = true }) =>
    fields.reduce((made, [name, value, type]) => {
      const typed = version >= 3 ? typeField(name, value, { type, version, ignore }) : value;
      return dots ? n8n.set(made, name, typed) : { ...made, [name]: typed };
    }, base);
  function typeField(name, value, { type, version, ignore }) {
    const isMissing = value === undefined || value === null;
    if (isMissing && (version >= 3.2 || type !== "string" || (version > 3 && ignore))) return null;
    const refuse = () => {
      if (ignore) return value;
      const got = Array.isArray(value) ? "array" : isObject(value) ? "object" : String(value);
      throw new Error(`The field ${name} is of the type ${type}, and can't have ${got}.`);
    };
    if (type === "string") {
      if (isMissing && version > 3) return refuse();
      return typeof value === "object" ? JSON.stringify(value) : String(value);
    }
    if (type === "number") return Number.isNaN(Number(value)) ? refuse() : Number(value);
    if (type === "boolean") {
      const word = typeof value === "string" ? value.toLowerCase() : value;
      if (word === true || word === "true") return true;
      if (word === false || word === "false") return false;
      const number = typeof word === "string" && word.trim() === "" ? Number.NaN : Number(word);
      return number === 0 || number === 1 ? number === 1 : refuse();
    }
    if (type === "array" || type === "object") {
      const isRight = type === "array" ? Array.isArray : isObject;
      if (isRight(value)) return value;
      for (const text of [String(value), String(value).replaceAll("'", '"')]) {
        try {
          const parsed = JSON.parse(text);
          if (isRight(parsed)) return parsed;
        } catch {}
      }
      return refuse();
    }
    if (type === "dateTime") {
      const date = n8n.date(value);
      return date.isValid ? date.toISO() : refuse();
    }
    return value;
  }
  // Some fields of an item by path: the named ones, or all others.
  n8n.pick = (item, names) =>
    names.reduce(
      (made, name) => n8n.set(made, name.split(".").at(-1), n8n.get(item, name)),
      withFiles({}, item.$binary),
    );
  n8n.omit = (item, names) => names.reduce((left, name) => n8n.unset(left, name), item);
  // Compares two lists by their keys: items only in the first, equal items, different items, items only in the
  // second.
  n8n.compare = (
    left,
    right,
    keys,
    { skip = [], resolve = "includeBoth", names, prefer, except = [] },
  ) => {
    const same = (one, other) => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
    const without = (one) => skip.reduce((rest, name) => n8n.unset(rest, name), one);
    const matched = new Set();
    const made = { o0: [], o1: [], o2: [], o3: [] };
    for (const one of left) {
      const wanted = keys.map(([field]) => n8n.get(one, field));
      const at = wanted.includes(undefined)
        ? -1
        : right.findIndex((other) =>
            keys.every(([, field], key) => same(n8n.get(other, field), wanted[key])),
          );
      if (at < 0) made.o0.push(one);
      else {
        matched.add(at);
        if (same(without(one), without(right[at]))) made.o1.push(one);
        else made.o2.push(describeDifference(one, right[at]));
      }
    }
    made.o3 = right.filter((_, at) => !matched.has(at));
    return made;
    function describeDifference(one, other) {
      if (resolve === "preferInput1") return one;
      if (resolve === "preferInput2") return other;
      if (resolve === "mix") {
        const [base, rest] = prefer === "input2" ? [other, one] : [one, other];
        return except.reduce(
          (mixed, name) => n8n.set(mixed, name, n8n.get(rest, name) ?? null),
          base,
        );
      }
      const fields = keys.map(([field]) => field);
      const all = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
        (name) => !fields.includes(name),
      );
      const equal = all.filter((name) => same(one[name], other[name]));
      const both = (list) =>
        Object.fromEntries(
          list.map((name) => [
            name,
            { [names[0]]: one[name] ?? null, [names[1]]: other[name] ?? null },
          ]),
        );
      const differing = all.filter((name) => !equal.includes(name));
      const skipped = differing.filter((name) => skip.includes(name));
      return {
        keys: Object.fromEntries(fields.map((field) => [field, n8n.get(one, field)])),
        same: Object.fromEntries(
          [...fields.filter((field) => same(one[field], other[field])), ...equal].map((name) => [
            name,
            one[name],
          ]),
        ),
        different: both(differing.filter((name) => !skip.includes(name))),
        ...(skipped.length > 0 && { skipped: both(skipped) }),
      };
    }
  };
  // Sorts object keys, so that objects compare as text.
  const sorted = (value) =>
    Array.isArray(value)
      ? value.map(sorted)
      : isObject(value)
        ? Object.fromEntries(
            Object.keys(value)
              .toSorted()
              .map((name) => [name, sorted(value[name])]),
          )
        : (value ?? null);
}
