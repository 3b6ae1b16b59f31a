/**
 * The cached operations that an event makes stale, by the event's namespace. What an event does not say by its name
 * stands here: a breach changes the ticket, an installed pack may change anything.
 */
const STALE: Readonly<Record<string, readonly string[]>> = {
  absence: ["absences.", "on_call.", "on_call_schedules."],
  agent_call: ["agent_calls.", "agents.", "home."],
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
  "audit.auth": ["auth.", "mfa.", "users."],
  "audit.calendar_feed": ["changes."],
  "audit.desk_settings": ["desk."],
  "audit.embed_token": ["apps."],
  "audit.backup": ["installation."],
  "audit.job": ["installation."],
  "audit.maintenance": ["installation.", "auth.me"],
  "audit.operator": ["installation.", "auth.me"],
  "audit.mfa": ["mfa.", "users."],
  "audit.oauth_application": ["oauth."],
  "audit.oauth_consent": ["oauth.", "agents."],
  "audit.oauth_token": ["oauth.", "tokens.", "agents."],
  "audit.role": ["roles.", "auth.", "permissions.", "users.", "access."],
  "audit.secret": ["secrets.", "connectors."],
  "audit.sso": ["sso."],
  "audit.status_page": ["status_page."],
  "audit.ticket_kind": ["tickets.", "incidents.", "problems.", "changes.", "requests."],
  "audit.token": ["tokens.", "users.", "agents."],
  "audit.workspace": [""],
  blackout_window: ["blackout_windows.", "changes."],
  business_calendar: ["business_calendars.", "sla."],
  catalog_item: ["catalog."],
  change: ["tickets.", "views.", "changes.", "tasks.", "home."],
  change_delegation: ["changes.", "home."],
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
    "views.",
    "incidents.",
    "sla.",
    "home.",
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
  problem: ["tickets.", "views.", "problems.", "cmdb.", "home."],
  query: ["queries."],
  on_call_schedule: ["on_call_schedules.", "on_call."],
  page: ["pages."],
  record: ["records.", "apps.preview"],
  report: ["reports.", "dashboards."],
  report_schedule: ["report_schedules."],
  request: ["tickets.", "views.", "requests.", "tasks.", "catalog.", "home."],
  sla: ["tickets.", "views.", "sla.", "incidents.", "home."],
  sla_policy: ["sla."],
  status_component: ["status_components.", "status_page."],
  table: ["tables.", "records.", "queries.schema"],
  table_view: ["table_views."],
  import: ["imports."],
  team: ["teams."],
  test_endpoint: ["test_endpoints."],
  text_module: ["text_modules."],
  user: ["users.", "auth.", "teams.", "invitations."],
  variable: ["variables."],
  view: ["views."],
  webhook: ["webhooks."],
  workflow: ["workflows.", "runs.", "approvals.", "home."],
  workspace: ["workspaces.", "auth."],
};

/** What a run does changes no definition, and there are many of them. */
const RUN_STALE = ["runs.", "approvals.", "home."];

/** Prefixes of the operations that an event of this type makes stale. */
export function staleAfter(type: string): readonly string[] {
  if (type.startsWith("workflow.run_")) return RUN_STALE;
  return STALE[namespaceOf(type)] ?? [];
}

/** `audit.role` of `audit.role.created`, `incident` of `incident.created`. */
export function namespaceOf(type: string): string {
  const [first = "", second = ""] = type.split(".");
  return first === "audit" ? `${first}.${second}` : first;
}
