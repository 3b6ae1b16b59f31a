import { ticketParams } from "../../tickets/index.ts";
import { incidentKind } from "../kind.ts";

/** The path of the list, and what names one in it. */
export const PATH = "/api/v1/itsm/incidents";
export const ById = ticketParams(incidentKind);
export const example = { params: { id: "INC0000001" } };
