import { eventKindsOf, type OperationId, routeOf } from "@millrace/client";
import type { Write } from "../api.ts";

/**
 * The operations that become stale, by namespace of the event. It lists effects that the event name does not imply:
 * a breach changes the ticket, an installed pack can change anything.
 */
const STALE: Readonly<Record<string, readonly string[]>> = {
  absence: ["approvals.inbox", "absences.", "on_call.", "on_call_schedules."],
  agent_call: ["approvals.inbox", "agent_calls.", "agents.", "home.waiting"],
  agent_memory: ["agent_memories."],
  agent_policy: ["approvals.inbox", "agent_policy.", "agent_calls."],
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
  change: [
    "approvals.inbox",
    "tickets.",
    "views.count",
    "changes.",
    "sla.of_",
    "tasks.",
    "home.waiting",
  ],
  change_delegation: ["approvals.inbox", "changes.", "home.waiting"],
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
    "approvals.inbox",
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
/** Run events are frequent and do not change definitions. */
const RUN_STALE = ["runs.", "approvals.", "home.waiting"];

/** Returns the operation prefixes made stale by an event type. */
export function staleAfter(type: string): readonly string[] {
  if (type.startsWith(RUN_EVENTS)) return RUN_STALE;
  return STALE[namespaceOf(type)] ?? [];
}

/**
 * Returns whether a response is stale after a write of this page. Which declared events were appended is unknown,
 * so their types and the body's fields are used. The event stream reports what this misses.
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

/** Returns `audit.role` for `audit.role.created`, and `incident` for `incident.created`. */
export function namespaceOf(type: string): string {
  const [first = "", second = ""] = type.split(".");
  return first === "audit" ? `${first}.${second}` : first;
}

/** A known change: its event type, the names of the changed resource, and the event's data. */
export interface Change {
  readonly type: string;
  /** The resource type, such as `incident`. */
  readonly kind: string;
  /** The id and the number of the resource; empty if there were too many changes to distinguish. */
  readonly names: readonly string[];
  readonly says: (name: string) => boolean;
  /** The names of the changed fields, if the event contains them. */
  readonly fields: readonly string[];
  /** True if the changed parts are unknown, so that all may have changed. */
  readonly isWhole?: boolean;
}

/** A cached response. */
export interface Reading {
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Returns whether the response contains this name. */
  readonly shows: (name: string) => boolean;
  /** Returns other names of the response's resource: tickets are read by number, and named by id. */
  readonly otherNames: (name: string) => readonly string[];
}

/** Operations that depend on a single resource. Others depend on all of its kind: a change has conflicts. */
const OF_ONE =
  /^((incidents|requests|problems|changes)\.(get|get_timeline|list_(watchers|links|times|attachments|comments))|sla\.of_\w+|runs\.(get|steps?|summary)|workflows\.get)$/;

const TICKETS = ["incidents", "requests", "problems", "changes"];

/** The path segments of resource kinds whose queries are about a single resource. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  incident: ["incidents"],
  request: ["requests"],
  problem: ["problems"],
  change: ["changes"],
  ticket: TICKETS,
  run: ["runs"],
  workflow: ["workflows"],
};

/** Ticket parts changed only by specific events. */
const PARTS: Readonly<Record<string, RegExp>> = {
  list_watchers: /watcher|merge|split/,
  list_links: /link|duplicate|merge|split/,
  list_times: /time_|_time|merge|split/,
  list_tags: /create|merge|split|tags/,
};

/**
 * Returns whether a response is stale after a change. A list always is. A response about one resource is stale if
 * that resource changed, if the event names it, or if it contains the changed resource.
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

/** Finds the resource in the path of an operation. */
function findSubject(operation: string) {
  const found = /\/([\w-]+)\/\{(\w+)\}/.exec(routeOf(operation as OperationId));
  return found ? { collection: found[1] ?? "", parameter: found[2] ?? "" } : undefined;
}
