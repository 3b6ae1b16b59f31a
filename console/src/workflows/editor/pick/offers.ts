/** Everything that can be added to a workflow: step types, scripts, connector actions and other workflows. */
import type { LucideIcon } from "lucide-react";
import { useDeferredValue, useMemo } from "react";
import { type Schemas, useOp } from "../../../data/api.ts";
import { rank } from "../../../shell/palette/rank.ts";
import { kindOf, type StepTone } from "../../canvas/step-kinds.ts";
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

const FOUND_MAX = 14;
const KEPT_MS = 60_000;

/** Filters the offers by the search text. The server searches too, where one response does not list everything. */
export function useOffers(workflowId: string, text: string): readonly Offer[] {
  const all = useOp("workflows.palette", undefined, { staleTime: KEPT_MS }).data?.data;
  const q = useDeferredValue(text);
  const more = useOp(
    "workflows.palette",
    { query: { q } },
    { enabled: all?.truncated === true && q !== "", staleTime: KEPT_MS },
  ).data?.data;
  return useMemo(() => {
    const entries = new Map(
      [...(all?.entries ?? []), ...(more?.entries ?? [])].map((entry) => [entry.key, entry]),
    );
    const order = (group: string): number => all?.groups.indexOf(group) ?? 0;
    const offers = [...entries.values()]
      .filter((entry) => entry.config["workflowId"] !== workflowId)
      .map(toOffer)
      .toSorted((a, b) => order(a.group) - order(b.group));
    return findOffers(offers, text);
  }, [all, more, workflowId, text]);
}

function toOffer({ key, type, title, group, summary, config, of }: Schemas["PaletteEntry"]): Offer {
  const { icon, tone } = kindOf(type);
  const name = of && of.name !== title ? `${of.name}: ${title}` : title;
  const line = summary.replaceAll("`", "");
  return { id: key, title: name, line, group, icon, tone, step: { type, name, config } };
}

/** A match in the title ranks above one in the type, and that above one in the description. */
function findOffers(offers: readonly Offer[], text: string): readonly Offer[] {
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
