/** The guide of each screen, by the longest matching start of its path. */
const GUIDES: Readonly<Record<string, string>> = {
  "/": "console",
  "/alerts": "analytics",
  "/apps": "apps",
  "/approvals": "workflows",
  "/artifacts": "sdk",
  "/builder": "apps",
  "/catalog": "catalog",
  "/changes": "changes",
  "/cmdb": "cmdb",
  "/connectors": "connectors",
  "/dashboards": "analytics",
  "/desk": "tickets",
  "/desk/reports": "analytics",
  "/events": "events",
  "/jobs": "scheduled-jobs",
  "/knowledge": "knowledge",
  "/major": "incidents",
  "/notifications": "notifications",
  "/oncall": "on-call",
  "/on-call": "on-call",
  "/packs": "packs",
  "/problems": "problems",
  "/reports": "analytics",
  "/runs": "runs",
  "/secrets": "secrets",
  "/services": "cmdb",
  "/settings": "access",
  "/settings/agents": "agents",
  "/settings/api": "oauth",
  "/settings/audit": "events",
  "/settings/desk": "tickets",
  "/settings/notifications": "notifications",
  "/settings/operation": "operate",
  "/settings/sso": "sso",
  "/search": "console",
  "/sla": "sla",
  "/sql": "sql",
  "/tables": "tables",
  "/tasks": "changes",
  "/variables": "secrets",
  "/webhooks": "webhooks",
  "/workflows": "workflows",
};

const BY_LENGTH = Object.entries(GUIDES).toSorted(([one], [other]) => other.length - one.length);

export function guideOf(path: string): string {
  const fits = ([start]: readonly [string, string]): boolean =>
    path === start || path.startsWith(start === "/" ? start : `${start}/`);
  return BY_LENGTH.find(fits)?.[1] ?? "console";
}
