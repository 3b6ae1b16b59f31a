import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, text, Time } from "#kernel/schema/schema.ts";
import { AppData, AppId } from "../definition/app.ts";

export const DeploymentId = id("dep");
export const Notes = text(2_000, "What is new, for whoever reads the list");

/** The deployed state of an app: everything that opening it needs. */
export const Snapshot = Type.Pick(AppData, ["name", "theme", "pages", "dataSources"], {
  title: "AppSnapshot",
});
export type Snapshot = Static<typeof Snapshot>;

const deploymentFields = {
  id: DeploymentId,
  appId: AppId,
  environment: Type.Enum(["production", "staging", "development"]),
  number: Type.Integer({ description: "Counts the deployments of the app in this environment" }),
  notes: Notes,
  live: Type.Boolean({ description: "Whether it is the one that is served" }),
  deployedBy: Type.String(),
  createdAt: Time,
};

export const Deployment = Type.Object(deploymentFields, { title: "AppDeployment" });
export type Deployment = Static<typeof Deployment>;

export const FullDeployment = Type.Object(
  { ...deploymentFields, snapshot: Snapshot },
  { title: "AppDeploymentWithSnapshot" },
);
export type FullDeployment = Static<typeof FullDeployment>;

export const DeployRefused = failure(
  "deploy_failed",
  422,
  "What the app refers to is not in this environment; `errors` have paths into the app.",
);
export const NoPreviousDeployment = failure(
  "nothing_to_roll_back",
  409,
  "No other deployment was live in this environment before.",
);
export const AppChanged = failure(
  "app_changed",
  409,
  "The app, or what is live of it, was changed by somebody else meanwhile; try again.",
);
