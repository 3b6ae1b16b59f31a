import Type from "typebox";
import { DeployCompleted, DeployFailed } from "#domains/workflows/index.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { toPage, pageQuery } from "#kernel/operation/pagination.ts";
import { created, item, page } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import { AppId, AppIsArchived } from "../definition/app.ts";
import { get as getApp } from "../definition/store.ts";
import { AppsDeploy, AppsRead } from "../permissions.ts";
import {
  AppChanged,
  Deployment,
  DeploymentId,
  DeployRefused,
  FullDeployment,
  Notes,
  NoPreviousDeployment,
} from "./deployment.ts";
import { DeployRolledBack } from "./events.ts";
import * as service from "./service.ts";
import * as store from "./store.ts";

const ById = object({ id: AppId });
const example = { params: { id: "app_01jd0000000000000000000000" } };
/** Numbers are smaller. */
const NEWEST = 2 ** 31 - 1;

export const deployApp = command({
  id: "apps.deploy",
  effect: "live",
  route: "POST /api/v1/apps/{id}/deploy",
  summary: "Deploy an app",
  description:
    "Deploys the current app to the environment of the request. All tables, saved queries, connectors and artifacts of the app must exist. Its workflows must be deployed to the same environment. Otherwise the deployment fails, and `deploy.failed` contains the reasons. The app is served at /apps/{workspace}/{slug}.",
  permission: AppsDeploy,
  params: ById,
  body: object({ notes: Type.Optional(Notes) }),
  bodyOptional: true,
  response: created(Deployment, {
    location: ({ appId, id }) => `/api/v1/apps/${appId}/deployments/${id}`,
  }),
  emits: [DeployCompleted, DeployFailed],
  fails: [DeployRefused, AppIsArchived, AppChanged],
  example: { ...example, body: { notes: "The packing list." } },
  prepare: (platform, { params }, caller) => service.prepareDeployment(platform, caller, params.id),
  run: (ctx, { body: { notes = "" } }, prepared) => service.deploy(ctx, prepared, notes),
});

export const rollBackApp = command({
  id: "apps.rollback",
  effect: "drastic",
  route: "POST /api/v1/apps/{id}/rollback",
  summary: "Roll back an app to an earlier deployment",
  description:
    "Default for `deploymentId`: the previous active deployment. The app definition does not change. If the deployment is already active, nothing changes.",
  permission: AppsDeploy,
  params: ById,
  body: object({ deploymentId: Type.Optional(DeploymentId) }),
  bodyOptional: true,
  allowNoop: true,
  response: item(Deployment),
  emits: [DeployRolledBack, DeployCompleted, DeployFailed],
  fails: [DeployRefused, AppIsArchived, AppChanged, NoPreviousDeployment],
  example: { ...example, body: { deploymentId: "dep_01jd0000000000000000000000" } },
  prepare: (platform, { params, body }, caller) =>
    service.prepareRollback(platform, caller, params.id, body.deploymentId),
  run: (ctx, _input, prepared) => service.rollBack(ctx, prepared),
});

export const listDeployments = query({
  id: "apps.list_deployments",
  route: "GET /api/v1/apps/{id}/deployments",
  summary: "List deployments of an app, newest first",
  permission: AppsRead,
  params: ById,
  query: object(pageQuery),
  response: page(Deployment),
  example,
  async run({ tx, services: { cursors } }, { params, query: { limit, after } }) {
    await getApp(tx, params.id);
    const name = `deployments of ${params.id}`;
    const [before = NEWEST] = after === undefined ? [] : cursors.decode(name, after);
    const rows = await store.list(tx, params.id, { before: Number(before), limit: limit + 1 });
    return toPage(
      rows,
      limit,
      (row) => row,
      ({ number }) => cursors.encode(name, [number]),
    );
  },
});

export const getDeployment = query({
  id: "apps.get_deployment",
  route: "GET /api/v1/apps/{id}/deployments/{deploymentId}",
  summary: "Get a deployment with its definition",
  permission: AppsRead,
  params: object({ id: AppId, deploymentId: DeploymentId }),
  response: item(FullDeployment),
  example: { params: { ...example.params, deploymentId: "dep_01jd0000000000000000000000" } },
  run: ({ tx }, { params }) => store.get(tx, params.id, params.deploymentId),
});
