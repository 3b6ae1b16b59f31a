/** All services that are described, by the types of their nodes in n8n. */
import { dataServices } from "./data.ts";
import { documentServices } from "./documents.ts";
import { callServices } from "./further/calls.ts";
import { communityServices } from "./further/community.ts";
import { crmServices } from "./further/crm.ts";
import { fileServices } from "./further/files.ts";
import { gitlabService } from "./further/gitlab.ts";
import { googleFurther } from "./further/google-further.ts";
import { MORE_OPERATIONS } from "./further/operations.ts";
import { pageServices } from "./further/pages.ts";
import { recordServices } from "./further/records.ts";
import { gmailService } from "./google/gmail.ts";
import { calendarServices } from "./google/calendar.ts";
import { google } from "./google/google.ts";
import { hubspot } from "./hubspot.ts";
import { lookupServices } from "./lookups.ts";
import { messengers } from "./messengers.ts";
import { microsoft } from "./microsoft.ts";
import { publishing } from "./publishers.ts";
import { sales } from "./sales.ts";
import type { Service, ServiceTable } from "./service-table.ts";
import { taskServices } from "./work/tasks.ts";
import { teamServices } from "./work/teams.ts";
import { telegramService } from "./telegram.ts";
import { ticketServices } from "./work/tickets.ts";
import { webServices } from "./web.ts";

const TABLES: ServiceTable = {
  ...gmailService,
  ...google,
  ...calendarServices,
  ...telegramService,
  ...messengers,
  ...microsoft,
  ...dataServices,
  ...documentServices,
  ...hubspot,
  ...ticketServices,
  ...sales,
  ...publishing,
  ...webServices,
  ...taskServices,
  ...teamServices,
  ...lookupServices,
  ...callServices,
  ...communityServices,
  ...crmServices,
  ...fileServices,
  ...gitlabService,
  ...googleFurther,
  ...pageServices,
  ...recordServices,
};

export const SERVICES: ServiceTable = Object.fromEntries(
  Object.entries(TABLES).map(([type, service]) => [
    type,
    { ...service, actions: [...service.actions, ...(MORE_OPERATIONS[type] ?? [])] },
  ]),
);

/** The service of a node, or of a tool that is one. */
export function findService(type: string): Service | undefined {
  const name = type.replace(/Tool$/, "");
  return Object.hasOwn(SERVICES, name) ? SERVICES[name] : undefined;
}
