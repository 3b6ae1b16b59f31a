import { agents } from "#domains/agents/index.ts";
import { analytics } from "#domains/analytics/index.ts";
import { apps } from "#domains/apps/index.ts";
import { approvals } from "#domains/approvals/index.ts";
import { audit } from "#domains/audit/index.ts";
import { bus } from "#domains/bus/index.ts";
import { connectors } from "#domains/connectors/index.ts";
import { documents } from "#domains/documents/index.ts";
import { files } from "#domains/files/index.ts";
import { imports } from "#domains/imports/index.ts";
import { access } from "#domains/identity/access/index.ts";
import { accounts } from "#domains/identity/accounts/index.ts";
import { members } from "#domains/identity/members/index.ts";
import { mfa } from "#domains/identity/mfa/index.ts";
import { oauth } from "#domains/identity/oauth/index.ts";
import { passwords } from "#domains/identity/passwords/index.ts";
import { roles } from "#domains/identity/roles/index.ts";
import { sessions } from "#domains/identity/sessions/index.ts";
import { sso } from "#domains/identity/sso/index.ts";
import { tokens } from "#domains/identity/tokens/index.ts";
import { contacts } from "#domains/itsm/contacts/index.ts";
import { changes } from "#domains/itsm/changes/index.ts";
import { cmdb } from "#domains/itsm/cmdb/index.ts";
import { catalog } from "#domains/itsm/catalog/index.ts";
import { assignment } from "#domains/itsm/assignment/index.ts";
import { onCall } from "#domains/itsm/oncall/index.ts";
import { tickets } from "#domains/itsm/tickets/index.ts";
import { home } from "#domains/home/index.ts";
import { incidents } from "#domains/itsm/incidents/index.ts";
import { mail } from "#domains/itsm/mail/index.ts";
import { knowledge } from "#domains/itsm/knowledge/index.ts";
import { majorIncidents } from "#domains/itsm/major/index.ts";
import { outages } from "#domains/itsm/outages/index.ts";
import { problems } from "#domains/itsm/problems/index.ts";
import { macros } from "#domains/itsm/macros/index.ts";
import { deskReport } from "#domains/itsm/reports/index.ts";
import { queue } from "#domains/itsm/queue/index.ts";
import { sla } from "#domains/itsm/sla/index.ts";
import { installation } from "#domains/installation/index.ts";
import { mcp } from "#domains/mcp/index.ts";
import { portability } from "#domains/portability/index.ts";
import { portal } from "#domains/portal/index.ts";
import { preferences } from "#domains/preferences/index.ts";
import { presence } from "#domains/presence/index.ts";
import { notifications } from "#domains/notifications/index.ts";
import { runs } from "#domains/runs/index.ts";
import { search } from "#domains/search/index.ts";
import { sdk } from "#domains/sdk/index.ts";
import { migrations } from "#domains/migrations/index.ts";
import { queries } from "#domains/queries/index.ts";
import { records } from "#domains/records/index.ts";
import { tables } from "#domains/tables/index.ts";
import { transformer } from "#domains/transformer/index.ts";
import { undo } from "#domains/undo/index.ts";
import { variables } from "#domains/variables/index.ts";
import { vault } from "#domains/vault/index.ts";
import { webhooks } from "#domains/webhooks/index.ts";
import { workflows } from "#domains/workflows/index.ts";
import { workspaces } from "#domains/workspaces/index.ts";
import type { Domain } from "#kernel/contract.ts";

/** All domains of the product. */
export const domains: readonly Domain[] = [
  sessions,
  passwords,
  mfa,
  accounts,
  roles,
  access,
  members,
  tokens,
  oauth,
  sso,
  variables,
  vault,
  workspaces,
  audit,
  bus,
  notifications,
  approvals,
  preferences,
  presence,
  webhooks,
  runs,
  workflows,
  connectors,
  transformer,
  tables,
  records,
  imports,
  queries,
  migrations,
  sdk,
  apps,
  analytics,
  contacts,
  files,
  documents,
  tickets,
  cmdb,
  changes,
  incidents,
  outages,
  problems,
  knowledge,
  majorIncidents,
  sla,
  onCall,
  assignment,
  catalog,
  queue,
  deskReport,
  mail,
  portal,
  mcp,
  agents,
  macros,
  undo,
  search,
  home,
  installation,
  portability,
];
