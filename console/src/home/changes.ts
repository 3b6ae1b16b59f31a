/** Changes by other users since the last visit, grouped by resource. */
import type { LogEvent } from "../data/live/live.ts";
import { toWords } from "../ui/words.ts";

export interface ThingChange {
  readonly key: string;
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  readonly name: string;
  /** A description of the last change. */
  readonly what: string;
  readonly times: number;
  readonly who: readonly string[];
  readonly at: string;
}

/** Events that are not changes by users: sign-ins, calls, and automatic events. */
const NOISE =
  /^(connector\.(invoked|status)|audit\.(auth|oauth_token|mfa)|notification|record|export|sla|deploy|audit\.desk|workflow\.(run|step|test|bulk|webhook|trigger|pinned))/;

/** Groups other users' changes by resource, newest first. */
export function groupChanges(events: readonly LogEvent[], myId: string): readonly ThingChange[] {
  const things = new Map<string, ThingChange>();
  for (const { type, resource, actor, createdAt } of events) {
    if (NOISE.test(type) || actor.id === myId || actor.type === "system") continue;
    // Messages on a topic do not change a resource.
    if (resource.type === "message") continue;
    const key = `${resource.type}:${resource.id}`;
    const known = things.get(key);
    if (known) {
      const who = known.who.includes(actor.name) ? known.who : [...known.who, actor.name];
      things.set(key, { ...known, who, times: known.times + 1 });
      continue;
    }
    things.set(key, {
      key,
      type: resource.type,
      id: resource.id,
      number: resource.number,
      name: resource.displayName ?? resource.number ?? toWords(resource.type),
      what: describe(type),
      times: 1,
      who: [actor.name],
      at: createdAt,
    });
  }
  return [...things.values()];
}

/** Describes `incident.state_changed` as `state changed`, and `audit.role.created` as `role created`. */
function describe(type: string): string {
  const words = type.replace(/^audit\./, "").split(".");
  const verb = words.slice(1).join(" ").replaceAll("_", " ");
  return type.startsWith("audit.") ? `${words[0]?.replaceAll("_", " ")} ${verb}` : verb;
}

/** Formats `Ada`, `Ada and Bo`, or `Ada, Bo and 2 others`. */
export function listPeople(who: readonly string[]): string {
  const [first = "", second, ...rest] = who;
  if (second === undefined) return first;
  if (rest.length === 0) return `${first} and ${second}`;
  return `${first}, ${second} and ${rest.length === 1 ? "another" : `${rest.length} others`}`;
}
