/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
export function createLists() {
  const read = (key) =>
    typeof key === "function"
      ? key
      : (item) => key.split(".").reduce((value, name) => value?.[name], item);
  return Object.freeze({
    groupBy: (list, key) =>
      Object.fromEntries(Map.groupBy(list, (item) => String(read(key)(item)))),
    keyBy: (list, key) => Object.fromEntries(list.map((item) => [String(read(key)(item)), item])),
    unique: (list, key = (item) => item) =>
      [
        ...new Map(
          list.toReversed().map((item) => [JSON.stringify(read(key)(item)), item]),
        ).values(),
      ].toReversed(),
    sortBy: (list, key, order = "asc") => {
      const sign = order === "desc" ? -1 : 1;
      return list.toSorted((one, other) => {
        const [a, b] = [read(key)(one), read(key)(other)];
        return a < b ? -sign : a > b ? sign : 0;
      });
    },
    chunk: (list, size) =>
      Array.from(
        {
          length: Math.ceil(list.length / Math.max(1, size)),
        },
        (_, at) => list.slice(at * Math.max(1, size), (at + 1) * Math.max(1, size)),
      ),
    sum: (list, key = (item) => item) =>
      list.reduce((total, item) => total + Number(read(key)(item)), 0),
  });
}
export function createText() {
  const tags = /<[^>]*>/g;
  return Object.freeze({
    slugify: (value) =>
      value
        .normalize("NFKD")
        .replaceAll(/\p{M}/gu, "")
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, "-")
        .replaceAll(/^-|-$/g, ""),
    stripTags: (value) => value.replaceAll(tags, ""),
    truncate: (value, max) => (value.length > max ? `${value.slice(0, max)}…` : value),
    titleCase: (value) =>
      value.replaceAll(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
    emails: (value) => value.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? [],
    urls: (value) => value.match(/https?:\/\/[^\s"'<>)]+/g) ?? [],
    escapeHtml: (value) =>
      value.replaceAll(/[&<>"']/g, (char) => `&#${String(char.charCodeAt(0))};`),
  });
}
