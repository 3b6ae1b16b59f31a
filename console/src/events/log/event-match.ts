/** Decides whether a new event belongs in the list, with the same rules as the server uses for past ones. */
import type { LogEvent } from "../../data/live/live.ts";
import type { EventsSearch } from "../search.ts";

export function compileEventMatch(search: EventsSearch): (event: LogEvent) => boolean {
  const { topic, type, actor, kind, thing, chain, from, to, q } = search;
  const isType = type === undefined ? () => true : compileType(type);
  const [fromMs, toMs] = [from, to].map((time) => (time === undefined ? NaN : Date.parse(time)));
  const word = q?.toLowerCase();
  return (event) => {
    const atMs = Date.parse(event.createdAt);
    return (
      (topic === undefined || topic === PLATFORM || topicOf(event.type) === topic) &&
      isType(event.type) &&
      (actor === undefined || event.actor.id === actor) &&
      (kind === undefined || event.resource.type === kind) &&
      (thing === undefined || event.resource.id === thing) &&
      (chain === undefined || event.correlationId === chain) &&
      !(atMs < (fromMs ?? NaN)) &&
      !(atMs >= (toMs ?? NaN)) &&
      (word === undefined || holdsText(event, word))
    );
  };
}

const PLATFORM = "platform.events";

export function topicOf(type: string): string {
  return type.slice(0, type.indexOf("."));
}

/** Compiles a pattern: `*` matches one word, at the end one or more. An invalid pattern does not match anything. */
function compileType(pattern: string): (type: string) => boolean {
  if (pattern === "*") return () => true;
  if (!/^[\w.*-]+$/.test(pattern)) return () => false;
  const words = pattern.split(".").map((word) => (word === "*" ? "[^.]+" : word));
  const more = pattern.endsWith("*") ? "(?:\\.[^.]+)*" : "";
  const expression = new RegExp(`^${words.join("\\.")}${more}$`);
  return (type) => expression.test(type);
}

function holdsText({ type, resource, actor, data }: LogEvent, word: string): boolean {
  const names = [type, resource.id, resource.number, resource.displayName, actor.name];
  return (
    names.some((name) => name?.toLowerCase().includes(word)) ||
    JSON.stringify(data).toLowerCase().includes(word)
  );
}

/** Adds new events before old ones, newest first, without duplicates and up to the maximum. */
export function mergeEvents(
  fresh: readonly LogEvent[],
  known: readonly LogEvent[],
  eventsMax: number,
): readonly LogEvent[] {
  if (fresh.length === 0) return known;
  const seen = new Set(known.slice(0, fresh.length + RECENT).map(({ id }) => id));
  const unseen = fresh.filter(({ id }) => !seen.has(id));
  if (unseen.length === 0) return known;
  return sortEvents([...unseen, ...known]).slice(0, eventsMax);
}

/** Appends a page of past events. The stream starts before the first page is read, so duplicates are possible. */
export function appendEvents(
  known: readonly LogEvent[],
  page: readonly LogEvent[],
): readonly LogEvent[] {
  const seen = new Set(known.map(({ id }) => id));
  return sortEvents([...known, ...page.filter(({ id }) => !seen.has(id))]);
}

function sortEvents(all: readonly LogEvent[]): readonly LogEvent[] {
  const isSorted = all.every(({ id }, n) => n === 0 || (all[n - 1]?.id ?? "") > id);
  return isSorted ? all : all.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}

/** New events are compared with this many events of the list to find duplicates. */
const RECENT = 200;
