import { useNavigate, useSearch } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { useRefusal } from "../../data/people.ts";
import { NEW, Shelf } from "../../desk-settings/index.ts";
import { toConditionWords } from "../../sla/index.ts";
import { count, toWords } from "../../ui/words.ts";
import { PolicyEditor } from "./policy-editor.tsx";

/** Escalation policies: who is paged, and who is next without an acknowledgement. */
export function Policies() {
  const { open } = useSearch({ from: "/inside/oncall" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("escalation_policies.list", {
    query: { limit: 200 },
  });
  const show = (id: string | undefined): void =>
    void navigate({ to: "/oncall", search: { tab: "escalation", open: id } });
  const policies = data?.data ?? [];
  const policy = policies.find(({ id }) => id === open);
  return (
    <Shelf
      label="Policies"
      make="New policy"
      refusal={useRefusal("escalation_policies.create")}
      place={[open, show]}
      nothing="No escalation policies yet. A policy pages the person on call, then others, until a person acknowledges."
      items={policies.map((one) => ({
        id: one.id,
        label: one.name,
        about: toSummary(one),
        mark: !one.active && <span className="tag idle">Off</span>,
      }))}
      {...{ error, isPending }}
      onRetry={() => void refetch()}
    >
      {(policy || open === NEW) && <PolicyEditor key={open} policy={policy} onOpen={show} />}
    </Shelf>
  );
}

function toSummary({ entity, conditions, steps }: Schemas["EscalationPolicy"]): string {
  const which =
    conditions === null
      ? "Manual pages only"
      : `${toWords(entity)}s${Object.keys(conditions).length > 0 ? ` with ${toConditionWords(conditions)}` : ""}`;
  return `${which} · ${count(steps.length, "step")}`;
}
