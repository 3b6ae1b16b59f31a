import type { RecordedEvent } from "#kernel/log/event.ts";
import type { Incident } from "../../incidents/index.ts";
import type { SlaClock } from "../../sla/index.ts";
import type { IncidentRole } from "./roles.ts";
import type { Static } from "typebox";

interface ReviewMaterial {
  readonly incident: Static<typeof Incident>;
  /** The end of the incident, or now. */
  readonly to: string;
  /** Oldest first. */
  readonly events: readonly Pick<RecordedEvent, "type" | "createdAt" | "actor" | "data">[];
  readonly clocks: readonly Pick<SlaClock, "policyName" | "metric" | "state">[];
  readonly roles: readonly IncidentRole[];
  readonly names: ReadonlyMap<string, string>;
}

/** Writes a review draft as Markdown: facts from the log, and questions for people. */
export function writeReview(material: ReviewMaterial): string {
  const { incident, to, events, clocks, roles, names } = material;
  const lasted = toDuration(Date.parse(to) - Date.parse(incident.createdAt));
  const leaders = roles.map(
    ({ role, userId }) => `- ${toWords(role)}: ${names.get(userId) ?? userId}`,
  );
  const broadcasts = events.filter(({ type }) => type === "incident.broadcast");
  const parts: readonly (readonly [string, readonly string[]])[] = [
    [
      "Summary",
      [
        `${incident.title} (${incident.number}), severity ${incident.severity}, priority ${incident.priority}.`,
        "",
        `- From ${toMoment(incident.createdAt)} to ${toMoment(to)}${incident.resolvedAt === null ? " (not resolved yet)" : ""}: ${lasted}`,
        ...clocks.map(
          ({ policyName, metric, state }) =>
            `- ${policyName}, ${metric}: ${toWords(state).toLowerCase()}`,
        ),
        ...leaders,
      ],
    ],
    [
      "Impact",
      [
        escapeMarkdown(incident.description) ||
          "_Which users were affected, how, and for how long?_",
      ],
    ],
    ["Timeline", events.flatMap((event) => describeEvent(event) ?? [])],
    [
      "Communication",
      broadcasts.map(
        ({ createdAt, data }) => `- ${toMoment(createdAt)}: ${oneLine(data["message"])}`,
      ),
    ],
    [
      "Resolution",
      [
        escapeMarkdown(incident.resolution ?? "") ||
          "_Which actions resolved the incident? How was the resolution verified?_",
      ],
    ],
    [
      "Root cause",
      [
        "_Which conditions caused the incident? Repeat the question until the cause is not a person._",
      ],
    ],
    ["Lessons learned", ["_Which practices helped? Keep them._"]],
    ["Action items", ["- _Action, owner, due date_"]],
  ];
  return parts
    .map(
      ([title, lines]) => `## ${title}\n\n${lines.length === 0 ? "_Nothing._" : lines.join("\n")}`,
    )
    .join("\n\n");
}

const WORDS: Readonly<Record<string, string>> = {
  "incident.created": "created the incident",
  "incident.assigned": "assigned the incident",
  "incident.escalated": "escalated the incident",
  "incident.major_declared": "declared a major incident",
  "incident.major_ended": "revoked the major status",
  "incident.child_linked": "added a child",
  "incident.role_assigned": "assigned a role",
  "incident.broadcast": "sent an update",
  "incident.resolved": "resolved the incident",
  "incident.reopened": "reopened the incident",
  "incident.closed": "closed the incident",
  "incident.cancelled": "cancelled the incident",
  "incident.comment_added": "wrote",
  "incident.sla_breached": "breached an SLA target",
};

/** A line of the timeline; undefined for irrelevant events. */
function describeEvent(event: ReviewMaterial["events"][number]): string | undefined {
  const { type, createdAt, actor, data } = event;
  const who = actor.name ?? "Millrace";
  const when = toMoment(createdAt);
  const { changes, after } = data as {
    readonly changes?: readonly string[];
    readonly after?: Readonly<Record<string, unknown>>;
  };
  if (changes?.includes("state"))
    return `- ${when} ${who}: ${toWords(String(after?.["state"])).toLowerCase()}`;
  const words = WORDS[type];
  if (words === undefined) return undefined;
  const text =
    data["body"] ?? data["message"] ?? data["reason"] ?? childOf(data) ?? roleOf(type, data);
  return `- ${when} ${who} ${words}${typeof text === "string" && text !== "" ? `: ${oneLine(text)}` : ""}`;
}

const childOf = (data: Readonly<Record<string, unknown>>): string | undefined =>
  (data["child"] as { readonly number?: string } | undefined)?.number;

const roleOf = (type: string, data: Readonly<Record<string, unknown>>): string | undefined =>
  type === "incident.role_assigned" ? String(data["role"]) : undefined;

const LINE_CHARACTERS_MAX = 500;

function oneLine(text: unknown): string {
  return escapeMarkdown(String(text).replaceAll(/\s+/g, " ").trim()).slice(0, LINE_CHARACTERS_MAX);
}

/** Escapes user text, so that it does not become a heading, a link or other markup. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, String.raw`\$&`);
}

function toMoment(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

function toWords(name: string): string {
  const text = name.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];

function toDuration(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.round((ms % HOUR_MS) / MINUTE_MS);
  return hours === 0 ? `${minutes} minutes` : `${hours} h ${minutes} min`;
}
