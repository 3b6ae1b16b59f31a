/* oxlint-disable */
// @ts-nocheck: it runs in a context of its own, where nothing has a type.
/** Adds the n8n methods of strings, arrays, numbers and dates. */
export function addMethods(n8n, isEmpty) {
  const { DateTime } = globalThis;
  const add = (prototype, methods) => {
    for (const [name, value] of Object.entries(methods)) {
      if (!(name in prototype))
        Object.defineProperty(prototype, name, {
          value,
          writable: true,
          configurable: true,
        });
    }
  };
  add(String.prototype, {
    isEmpty() {
      return this.length === 0;
    },
    isNotEmpty() {
      return this.length > 0;
    },
    toDateTime() {
      const iso = DateTime.fromISO(String(this));
      return iso.isValid ? iso : DateTime.fromJSDate(new Date(String(this)));
    },
    toNumber() {
      return Number(this);
    },
    toInt() {
      return Number.parseInt(String(this), 10);
    },
    toFloat() {
      return Number.parseFloat(String(this));
    },
    toBoolean() {
      return !["", "0", "false", "no"].includes(String(this).toLowerCase());
    },
    toTitleCase() {
      return this.replaceAll(
        /\p{L}+/gu,
        (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
      );
    },
    toSentenceCase() {
      return this.charAt(0).toUpperCase() + this.slice(1).toLowerCase();
    },
    toSnakeCase() {
      return this.trim()
        .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
        .replaceAll(/[\s-]+/g, "_")
        .toLowerCase();
    },
    extractEmail() {
      return /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(String(this))?.[0];
    },
    extractDomain() {
      return /(?:@|:\/\/)?((?:[\w-]+\.)+[a-z]{2,})/i.exec(String(this))?.[1];
    },
    extractUrl() {
      return /https?:\/\/[^\s"'<>)]+/.exec(String(this))?.[0];
    },
    removeTags() {
      return this.replaceAll(/<[^>]*>/g, "");
    },
    removeMarkdown() {
      return this.replaceAll(/[*_`#>~]|!?\[([^\]]*)\]\([^)]*\)/g, "$1");
    },
    replaceSpecialChars() {
      return this.normalize("NFKD").replaceAll(/[^\x20-\x7E]/g, "");
    },
    urlEncode() {
      return encodeURIComponent(String(this));
    },
    urlDecode() {
      return decodeURIComponent(String(this));
    },
    base64Encode() {
      return globalThis.Buffer.from(String(this)).toString("base64");
    },
    base64Decode() {
      return globalThis.Buffer.from(String(this), "base64").toString();
    },
    parseJson() {
      return JSON.parse(String(this));
    },
    quote() {
      return `"${String(this)}"`;
    },
    isEmail() {
      return /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(String(this));
    },
    isUrl() {
      return /^https?:\/\/\S+$/.test(String(this));
    },
    isNumeric() {
      return this.trim() !== "" && Number.isFinite(Number(this));
    },
    isDomain() {
      return /^(?:[\w-]+\.)+[a-z]{2,}$/i.test(String(this));
    },
  });
  add(Array.prototype, {
    isEmpty() {
      return this.length === 0;
    },
    isNotEmpty() {
      return this.length > 0;
    },
    first() {
      return this[0];
    },
    last() {
      return this.at(-1);
    },
    pluck(...names) {
      return this.map((one) =>
        names.length === 1 ? one[names[0]] : Object.fromEntries(names.map((n) => [n, one[n]])),
      );
    },
    unique(...names) {
      const key = (one) => JSON.stringify(names.length === 0 ? one : names.map((n) => one[n]));
      return [...new Map(this.toReversed().map((one) => [key(one), one])).values()].toReversed();
    },
    removeDuplicates(...names) {
      return this.unique(...names);
    },
    compact() {
      return this.filter((one) => !isEmpty(one));
    },
    chunk(size) {
      return Array.from(
        {
          length: Math.ceil(this.length / size),
        },
        (_, at) => this.slice(at * size, (at + 1) * size),
      );
    },
    sum() {
      return this.reduce((total, one) => total + Number(one), 0);
    },
    average() {
      return this.length === 0
        ? 0
        : this.reduce((total, one) => total + Number(one), 0) / this.length;
    },
    max() {
      return Math.max(...this);
    },
    min() {
      return Math.min(...this);
    },
    randomItem() {
      return this[Math.floor(Math.random() * this.length)];
    },
    smartJoin(key, value) {
      return Object.fromEntries(this.map((one) => [one[key], one[value]]));
    },
    append(...more) {
      return [...this, ...more];
    },
    union(other) {
      return [...this, ...other].unique();
    },
    difference(other) {
      return this.filter(
        (one) => !other.some((two) => JSON.stringify(one) === JSON.stringify(two)),
      );
    },
    intersection(other) {
      return this.filter((one) => other.some((two) => JSON.stringify(one) === JSON.stringify(two)));
    },
    toJsonString() {
      return JSON.stringify(this);
    },
  });
  add(Number.prototype, {
    round(places = 0) {
      return Number(Number(this).toFixed(places));
    },
    floor() {
      return Math.floor(this);
    },
    ceil() {
      return Math.ceil(this);
    },
    abs() {
      return Math.abs(this);
    },
    isEven() {
      return this % 2 === 0;
    },
    isOdd() {
      return this % 2 !== 0;
    },
    toDateTime() {
      return DateTime.fromMillis(Number(this));
    },
    toBoolean() {
      return Number(this) !== 0;
    },
    toNumber() {
      return Number(this);
    },
    isEmpty() {
      return false;
    },
    format(locale = "en-US", options = {}) {
      return new Intl.NumberFormat(locale, options).format(Number(this));
    },
  });
  add(Date.prototype, {
    toDateTime() {
      return DateTime.fromJSDate(this);
    },
    format(pattern) {
      return DateTime.fromJSDate(this).toFormat(pattern);
    },
  });
  add(DateTime.prototype, {
    format(pattern) {
      return this.toFormat(pattern);
    },
    toDateTime() {
      return this;
    },
    isBetween(start, end) {
      return this > start && this < end;
    },
    diffTo(other, unit = "days") {
      return this.diff(typeof other === "string" ? DateTime.fromISO(other) : other, unit).as(unit);
    },
    diffToNow(unit = "days") {
      return this.diffNow(unit).as(unit);
    },
    extract(unit) {
      return this.get(unit);
    },
    beginningOf(unit) {
      return this.startOf(unit);
    },
    endOfMonth() {
      return this.endOf("month");
    },
    isWeekend() {
      return this.weekday > 5;
    },
  });
  add(Object.prototype, {
    isEmpty() {
      return Object.keys(this).length === 0;
    },
    isNotEmpty() {
      return Object.keys(this).length > 0;
    },
    keys() {
      return Object.keys(this);
    },
    values() {
      return Object.values(this);
    },
    hasField(name) {
      return Object.hasOwn(this, name);
    },
    toJsonString() {
      return JSON.stringify(this);
    },
    removeField(name) {
      return n8n.unset(this, name);
    },
    merge(other) {
      return {
        ...other,
        ...this,
      };
    },
  });
}
