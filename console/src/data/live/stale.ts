import { eventKindsOf, type OperationId, routeOf } from "@millrace/client";
import type { Write } from "../api.ts";

/**
 * The cached operations that an event makes stale, by the event's namespace. What an event does not say by its name
 * stands here: a breach changes the ticket, an installed pack may change anything.
 */
const STALE: Readonly<Record<string, readonly string[]>> = {
  absence: ["absences.", "on_call.", "on_call_schedules."],
  agent_call: ["agent_calls.", "agents.", "home.waiting"],
  agent_memory: ["agent_memories."],
  agent_policy: ["agent_policy.", "agent_calls."],
  alert: ["alerts."],
  app: ["apps.", "home."],
  article: ["knowledge."],
  article_search: ["knowledge."],
  artifact: ["artifacts.", "scheduled_jobs.", "hooks.", "transformer.", "workflows.node_types"],
  artifact_test_case: ["artifacts."],
  assignment_rule: ["assignment_rules."],
  "audit.app_publication": ["apps."],
  "audit.archive_import": ["archive_imports."],
  "audit.auth": ["auth.", "mfa.", "users."],
  "audit.calendar_feed": ["changes."],
  "audit.desk_settings": ["desk."],
  "audit.embed_token": ["apps."],
  "audit.backup": ["installation."],
  "audit.job": ["installation."],
  "audit.maintenance": ["installation.", "auth.me"],
  "audit.operator": ["installation.", "auth.me"],
  "audit.mfa": ["mfa.", "users.", "auth.me"],
  "audit.oauth_application": ["oauth."],
  "audit.oauth_consent": ["oauth.", "agents."],
  "audit.oauth_token": ["oauth.", "tokens.", "agents."],
  "audit.role": ["roles.", "auth.", "permissions.", "users.", "access.", "records.get_access"],
  "audit.secret": ["secrets.", "connectors."],
  "audit.sso": ["sso."],
  "audit.status_page": ["status_page."],
  "audit.ticket_kind": ["tickets.", "incidents.", "problems.", "changes.", "requests."],
  "audit.token": ["tokens.", "users.", "agents."],
  "audit.workspace": [""],
  "audit.workspace_export": ["workspace_exports."],
  blackout_window: ["blackout_windows.", "changes."],
  business_calendar: ["business_calendars.", "sla."],
  catalog_item: ["catalog."],
  change: ["tickets.", "views.count", "changes.", "sla.of_", "tasks.", "home.waiting"],
  change_delegation: ["changes.", "home.waiting"],
  change_template: ["change_templates."],
  cmdb_class: ["cmdb."],
  cmdb_item: ["cmdb."],
  cmdb_relationship: ["cmdb."],
  connector: ["connectors."],
  contact: ["contacts."],
  dashboard: ["dashboards."],
  dead_letter: ["dead_letters."],
  deploy: ["workflows.", "apps.", "home."],
  escalation_policy: ["escalation_policies."],
  export: ["exports."],
  file: ["files."],
  incident: [
    "tickets.",
    "views.count",
    "incidents.",
    "sla.of_",
    "sla.list_clocks",
    "home.waiting",
    "major_incidents.",
    "outages.",
    "cmdb.",
  ],
  kpi: ["kpis.", "dashboards."],
  macro: ["macros."],
  mail: ["mail.", "mailboxes."],
  mailbox: ["mailboxes."],
  migration: ["migrations.", "tables.", "records."],
  notification: ["notifications."],
  organisation: ["organisations.", "contacts."],
  pack: [""],
  portal_settings: ["portal."],
  preference: ["preferences."],
  problem: [
    "tickets.",
    "views.count",
    "problems.",
    "incidents.list_links",
    "sla.of_",
    "cmdb.",
    "home.waiting",
  ],
  query: ["queries."],
  on_call_schedule: ["on_call_schedules.", "on_call.", "home.waiting"],
  page: ["pages.", "home.waiting"],
  record: ["records.", "record_comments.", "apps.preview"],
  report: ["reports.", "dashboards."],
  report_schedule: ["report_schedules."],
  request: [
    "tickets.",
    "views.count",
    "requests.",
    "sla.of_",
    "tasks.",
    "catalog.",
    "home.waiting",
  ],
  sla: ["tickets.", "views.count", "sla.of_", "sla.list_clocks", "incidents.", "home.waiting"],
  sla_policy: ["sla."],
  status_component: ["status_components.", "status_page."],
  table: ["tables.", "records.", "queries.schema"],
  table_view: ["table_views."],
  import: ["imports."],
  team: ["teams."],
  test_endpoint: ["test_endpoints."],
  text_module: ["text_modules."],
  user: [
    "users.",
    "auth.",
    "teams.",
    "invitations.",
    "workflows.",
    "on_call.",
    "home.waiting",
    "records.get_access",
  ],
  variable: ["variables."],
  view: ["views.", "tickets."],
  webhook: ["webhooks."],
  workflow: ["workflows.", "runs.", "approvals.", "home.waiting"],
  workspace: ["workspaces.", "auth."],
};

const RUN_EVENTS = "workflow.run_";
/** What a run does changes no definition, and there are many of them. */
const RUN_STALE = ["runs.", "approvals.", "home.waiting"];

/** Prefixes of the operations that an event of this type makes stale. */
export function staleAfter(type: string): readonly string[] {
  if (type.startsWith(RUN_EVENTS)) return RUN_STALE;
  return STALE[namespaceOf(type)] ?? [];
}

/**
 * Says whether an answer is stale after a write of this page. Which of the declared events it appended is not known: its
 * name and the fields of its body stand for them. What that misses the log tells, where it is followed.
 */
export function isStaleAfterWrite(
  { id, input, reply }: Write,
  reading: Reading,
  isFollowed: boolean,
): boolean {
  const { params = {}, body = {} } = (input ?? {}) as { params?: object; body?: object };
  const { data } = (reply ?? {}) as { readonly data?: { id?: unknown; number?: unknown } };
  const names = [...Object.values(params), data?.id, data?.number];
  let text: string | undefined;
  const says = (name: string): boolean =>
    (text ??= JSON.stringify([input, reply])).includes(`"${name}"`);
  return eventKindsOf(id).some((kind) => {
    const change = {
      type: kind === RUN_EVENTS ? kind : `${kind}.${id.slice(id.indexOf(".") + 1)}`,
      kind,
      names: names.filter((name) => typeof name === "string"),
      says,
      fields: Object.keys(body),
      isWhole: !isFollowed,
    };
    return isStaleAfter(change, reading);
  });
}

/** `audit.role` of `audit.role.created`, `incident` of `incident.created`. */
export function namespaceOf(type: string): string {
  const [first = "", second = ""] = type.split(".");
  return first === "audit" ? `${first}.${second}` : first;
}

/** What is known of a change: its type, the names of what it changed, and what else the event says. */
export interface Change {
  readonly type: string;
  /** The type of the thing that the event is of, as `incident`. */
  readonly kind: string;
  /** The id and the number of that thing; none where there were too many to tell them apart. */
  readonly names: readonly string[];
  readonly says: (name: string) => boolean;
  /** The names of the fields that were changed, where the event tells them. */
  readonly fields: readonly string[];
  /** It is not known which of its parts have changed: all may have. */
  readonly isWhole?: boolean;
}

/** An answer that is cached. */
export interface Reading {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Says whether the answer has this name anywhere. */
  readonly shows: (name: string) => boolean;
  /** The other names of the thing that it is of: a ticket is read by its number, and named by its id. */
  readonly otherNames: (name: string) => readonly string[];
}

/** Operations whose answers are of one thing: others depend on all of its kind, as the conflicts of a change do. */
const OF_ONE =
  /^((incidents|requests|problems|changes)\.(get|get_timeline|list_(watchers|links|times|attachments|comments))|sla\.of_\w+|runs\.(get|steps?|summary)|workflows\.get)$/;

const TICKETS = ["incidents", "requests", "problems", "changes"];

/** Where the things of a kind stand in addresses, of those kinds whose pages are about one thing. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  incident: ["incidents"],
  request: ["requests"],
  problem: ["problems"],
  change: ["changes"],
  ticket: TICKETS,
  run: ["runs"],
  workflow: ["workflows"],
};

/** Parts of a ticket that few of its events change. */
const PARTS: Readonly<Record<string, RegExp>> = {
  list_watchers: /watcher|merge|split/,
  list_links: /link|duplicate|merge|split/,
  list_times: /time_|_time|merge|split/,
  list_tags: /create|merge|split|tags/,
};

/**
 * Says whether an answer is stale after a change. Of a page about one thing, it is if that thing changed, if the event
 * names it, or if the page shows what changed; a list always is.
 */
export function isStaleAfter(change: Change, reading: Reading): boolean {
  const { operation, params, shows, otherNames } = reading;
  if (!staleAfter(change.type).some((prefix) => operation.startsWith(prefix))) return false;
  const isShown = (): boolean => change.names.length === 0 || change.names.some(shows);
  const part = PARTS[operation.slice(operation.indexOf(".") + 1)];
  const did = [change.type, ...change.fields].join(" ");
  if (part && !change.isWhole && change.kind in COLLECTIONS && !part.test(did)) return isShown();
  const of = OF_ONE.test(operation) ? findSubject(operation) : undefined;
  if (!of || !COLLECTIONS[change.kind]?.includes(of.collection)) return true;
  const subject = params[of.parameter];
  if (typeof subject !== "string") return true;
  const subjects = [subject, ...otherNames(subject)];
  return subjects.some((name) => change.names.includes(name) || change.says(name)) || isShown();
}

/** Where the address of an operation names the one thing that it is about. */
function findSubject(operation: string) {
  const found = /\/([\w-]+)\/\{(\w+)\}/.exec(routeOf(operation as OperationId));
  return found ? { collection: found[1] ?? "", parameter: found[2] ?? "" } : undefined;
}
