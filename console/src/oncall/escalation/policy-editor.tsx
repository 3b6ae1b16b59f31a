import { TICKET_KINDS } from "../../data/tickets/ticket-kinds.ts";
import { call, type Schemas } from "../../data/api.ts";
import {
  CheckField,
  EditorForm,
  LineField,
  NameField,
  SelectField,
  useEditor,
} from "../../desk-settings/index.ts";
import { ConditionField } from "../../sla/index.ts";
import type { Step } from "./page-plan.ts";
import { EscalationPreview } from "./preview.tsx";
import { StepList } from "./step-list.tsx";

type Policy = Schemas["ListedEscalationPolicy"];

interface PolicyDraft {
  readonly name: string;
  readonly description: string;
  readonly entity: Policy["entity"];
  readonly conditions: Readonly<Record<string, unknown>> | null;
  readonly steps: readonly Step[];
  readonly repeats: number;
  readonly active: boolean;
}

const toDraft = (policy: Policy | undefined): PolicyDraft => ({
  name: policy?.name ?? "",
  description: policy?.description ?? "",
  entity: policy?.entity ?? "incident",
  conditions: policy ? policy.conditions : { priority: 1 },
  steps: policy?.steps ?? [{ targets: [], waitMinutes: 5 }],
  repeats: policy?.repeats ?? 1,
  active: policy?.active ?? true,
});

interface PolicyEditorProps {
  readonly policy: Policy | undefined;
  readonly refusal: string | undefined;
  readonly onOpen: (id: string | undefined) => void;
}

/** A policy, and beside it who would be paged by it. */
export function PolicyEditor({ policy, refusal, onOpen }: PolicyEditorProps) {
  const editor = useEditor<PolicyDraft>({
    initial: toDraft(policy),
    revision: policy?.revision,
    stale: "escalation_policies.",
    refusal,
    save: async (draft, ifMatch) => {
      const params = { id: policy?.id ?? "" };
      const body = { ...draft, steps: [...draft.steps] };
      const options = ifMatch === undefined ? {} : { ifMatch };
      return policy
        ? (await call("escalation_policies.update", { params, body }, options)).data
        : (await call("escalation_policies.create", { body })).data;
    },
    remove: () => call("escalation_policies.delete", { params: { id: policy?.id ?? "" } }),
    onOpen,
  });
  const { draft, change, errorOf } = editor;
  return (
    <EditorForm
      title={policy?.name ?? "New policy"}
      editor={editor}
      consequence="Pages that are under way go on; nothing new is paged by it."
      aside={<EscalationPreview steps={draft.steps} repeats={draft.repeats} />}
    >
      <div className="editor-columns">
        <NameField {...editor} />
        <SelectField
          label="For"
          value={draft.entity}
          options={TICKET_KINDS}
          onChange={(entity) => change({ entity })}
        />
      </div>
      <CheckField
        label="Tickets that fit are paged about by themselves"
        isOn={draft.conditions !== null}
        onChange={(isOn) => change({ conditions: isOn ? { priority: 1 } : null })}
      />
      {draft.conditions !== null && (
        <ConditionField
          label="Which tickets"
          nothing="All of them."
          entity={draft.entity}
          value={draft.conditions}
          onChange={(conditions) => change({ conditions })}
          error={errorOf("/conditions")}
        />
      )}
      <StepList steps={draft.steps} onChange={(steps) => change({ steps })} errorOf={errorOf} />
      <div className="editor-columns">
        <LineField
          label="Repeat so many times"
          value={String(draft.repeats)}
          onChange={(text) => change({ repeats: Number(text.replaceAll(/\D/g, "")) })}
          error={errorOf("/repeats")}
        />
      </div>
      <CheckField label="It holds" isOn={draft.active} onChange={(active) => change({ active })} />
    </EditorForm>
  );
}
