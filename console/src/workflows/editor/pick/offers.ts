/** All that can be added to a workflow: types of steps, scripts, actions of connectors, other workflows. */
import { useQueries } from "@tanstack/react-query";
import { Boxes, type LucideIcon, Plug, Workflow } from "lucide-react";
import { useMemo } from "react";
import { query, type Schemas, useOp } from "../../../data/api.ts";
import { useMay } from "../../../data/people.ts";
import { rank } from "../../../shell/rank.ts";
import { kindOf, STEP_GROUPS, type StepTone } from "../../canvas/step-kinds.ts";
import type { Step } from "../../graph/graph.ts";

export interface Offer {
  readonly id: string;
  readonly title: string;
  readonly line: string;
  readonly group: string;
  readonly icon: LucideIcon;
  readonly tone: StepTone;
  readonly step: Omit<Step, "id">;
}

const LISTED_MAX = 100;
const CONNECTORS_MAX = 20;
const FOUND_MAX = 12;
const KEPT_MS = 120_000;

export function useOffers(workflowId: string): readonly Offer[] {
  const may = useMay();
  const list = { query: { limit: LISTED_MAX } };
  const types = useOp("workflows.node_types", undefined, { staleTime: KEPT_MS }).data?.data;
  const artifacts = useOp("artifacts.list", list, { enabled: may("artifacts:read") }).data?.data;
  const connectors = useOp("connectors.list", list, { enabled: may("connectors:read") }).data?.data;
  const workflows = useOp("workflows.list", list).data?.data;
  const actions = useQueries({
    queries: (connectors ?? []).slice(0, CONNECTORS_MAX).map(({ id }) => ({
      ...query("connectors.actions", { params: { id }, ...list }),
      staleTime: KEPT_MS,
    })),
    combine: (results) => results.map(({ data }) => data?.data),
  });
  const known = JSON.stringify(actions.map((found) => found?.map(({ name }) => name)));
  return useMemo(
    () => [
      ...(types?.nodeTypes ?? []).map(offerType).toSorted(byGroup),
      ...(connectors ?? []).flatMap((connector, n) => offerConnector(connector, actions[n])),
      ...(artifacts ?? []).map(offerArtifact),
      ...(workflows ?? []).filter(({ id }) => id !== workflowId).map(offerWorkflow),
    ],
    // The actions are made anew at every render; their names say whether they changed.
    // oxlint-disable-next-line react/exhaustive-deps
    [types, artifacts, connectors, workflows, workflowId, known],
  );
}

const byGroup = (a: Offer, b: Offer): number => order(a.group) - order(b.group);
const order = (group: string): number => STEP_GROUPS.indexOf(group as (typeof STEP_GROUPS)[number]);

function offerType({ type, summary }: Schemas["NodeType"]): Offer {
  const { icon, tone, title, group, config } = kindOf(type);
  const line = summary.replaceAll("`", "");
  return { id: type, title, line, group, icon, tone, step: { type, name: title, config } };
}

function offerArtifact({ id, name, description }: Schemas["ArtifactSummary"]): Offer {
  const step = { type: "artifact", name, config: { artifactId: id } };
  const line = description ?? "Runs this script";
  return { id, title: name, line, group: "Scripts", icon: Boxes, tone: "code", step };
}

function offerWorkflow({ id, name, description }: Schemas["WorkflowSummary"]): Offer {
  const step = { type: "subworkflow", name, config: { workflowId: id } };
  const line = description ?? "Runs this workflow and waits for it";
  return { id, title: name, line, group: "Workflows", icon: Workflow, tone: "out", step };
}

type Actions = readonly Schemas["ConnectorAction"][] | undefined;

function offerConnector({ id, name, type }: Schemas["Connector"], actions: Actions): Offer[] {
  const offer = { group: name, icon: Plug, tone: "out" } as const;
  if (!actions || actions.length === 0) {
    const step = { type: "connector", name, config: { connectorId: id, action: "" } };
    return [{ ...offer, id, title: name, line: `An action of this ${type} connector`, step }];
  }
  return actions.map((action) => {
    const title = `${name}: ${action.name}`;
    const step = { type: "connector", name: title, config: { connectorId: id, action: action.name } };
    return { ...offer, id: `${id}/${action.name}`, title, line: action.summary, step };
  });
}

/** The title counts more than the type, and the type more than the line. */
export function findOffers(offers: readonly Offer[], text: string): readonly Offer[] {
  if (text === "") return offers;
  const low = text.toLowerCase();
  const score = ({ title, line, step }: Offer): number => {
    const inLine = line.toLowerCase().includes(low) ? 0.5 : 0;
    return Math.max(rank(title, text) * 3, rank(step.type, text) * 2, inLine);
  };
  return offers
    .map((offer) => [score(offer), offer] as const)
    .filter(([points]) => points > 0)
    .toSorted(([a], [b]) => b - a)
    .slice(0, FOUND_MAX)
    .map(([, offer]) => offer);
}
