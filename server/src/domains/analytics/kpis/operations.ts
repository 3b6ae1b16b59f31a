import { command, query } from "#kernel/operation/operation.ts";
import type { Operation } from "#kernel/contract.ts";
import { listPageById, pageQuery } from "#kernel/operation/pagination.ts";
import { created, noContent, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AnalyticsRead, AnalyticsWrite } from "../permissions.ts";
import { KpiCreated, KpiDeleted, KpiUpdated } from "./kpi.ts";
import { backfillKpi, kpiHistory, takeSnapshot } from "./history.ts";
import { Kpi, KpiChange, KpiId, KpiInUse, KpiNameTaken, NewKpi, TooManyKpis } from "./kpi.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: KpiId });
const LIST = "KPIs, newest first";
const example = { params: { id: "kpi_01jd0000000000000000000000" } };

const listKpis = query({
  id: "kpis.list",
  route: "GET /api/v1/analytics/kpis",
  summary: "List the KPIs, newest first",
  permission: AnalyticsRead,
  query: object(pageQuery),
  response: page(Kpi),
  run: ({ tx, services }, { query: asked }) =>
    listPageById(services, LIST, asked, (before, limit) => store.list(tx, { before, limit })),
});

const createKpi = command({
  id: "kpis.create",
  route: "POST /api/v1/analytics/kpis",
  summary: "Make a KPI",
  description:
    "Its number is an `aggregate`, or the first value in the first row of a report; with a `window` only " +
    "what is as recent as that counts. It is looked at by its schedule, with the rights of whoever " +
    "saved it last, and `kpi.threshold_crossed` tells when it comes to the other side of its target.",
  permission: AnalyticsWrite,
  body: NewKpi,
  response: created(Kpi, { location: ({ id }) => `/api/v1/analytics/kpis/${id}` }),
  emits: [KpiCreated],
  fails: [KpiNameTaken, TooManyKpis],
  example: {
    body: {
      name: "Failed runs today",
      aggregate: { source: { kind: "runs" }, filter: { status: "failed" }, fn: "count" },
      window: { last: 1, unit: "days" },
      target: 5,
      direction: "down",
      schedule: { cron: "0 * * * *", timezone: "Europe/Berlin" },
    },
  },
  prepare: (platform, { body }, caller) => service.checkNewKpi(platform, body, caller),
  run: (ctx, { body }, measure) => service.create(ctx, body, measure),
});

const getKpi = query({
  id: "kpis.get",
  route: "GET /api/v1/analytics/kpis/{id}",
  summary: "Read a KPI",
  permission: AnalyticsRead,
  params: ById,
  response: item(Kpi),
  example,
  run: ({ tx }, { params }) => store.get(tx, params.id),
});

const updateKpi = command({
  id: "kpis.update",
  route: "PATCH /api/v1/analytics/kpis/{id}",
  summary: "Change a KPI",
  description: "Its snapshots have the caller's rights from then on.",
  permission: AnalyticsWrite,
  params: ById,
  body: KpiChange,
  response: item(Kpi),
  emits: [KpiUpdated],
  fails: [KpiNameTaken],
  example: { ...example, body: { target: 3 } },
  prepare: (platform, { params, body }, caller) =>
    service.checkKpiChange(platform, { id: params.id, change: body }, caller),
  run: (ctx, { params, body }, prepared) => service.update(ctx, params.id, body, prepared),
});

const deleteKpi = command({
  id: "kpis.delete",
  route: "DELETE /api/v1/analytics/kpis/{id}",
  summary: "Delete a KPI and its history",
  permission: AnalyticsWrite,
  params: ById,
  response: noContent(),
  emits: [KpiDeleted],
  fails: [KpiInUse],
  example,
  run: (ctx, { params }) => service.remove(ctx, params.id),
});

export const kpiOperations: readonly Operation[] = [
  listKpis,
  createKpi,
  getKpi,
  updateKpi,
  deleteKpi,
  kpiHistory,
  takeSnapshot,
  backfillKpi,
];
