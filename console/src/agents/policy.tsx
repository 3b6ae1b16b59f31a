import { AGENT_POLICY_DEMANDS } from "@millrace/client/enums";
import { useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { versionOf } from "../data/form/version.ts";
import { FormPanel } from "../shell/form/form-panel.tsx";
import { Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { CheckField, SelectField } from "../ui/form/choice-field.tsx";
import { choicesOf } from "../ui/form/choices.ts";
import { NumberField } from "../ui/form/number-field.tsx";
import { ApproverList, OperationList, PermissionList } from "../data/options/picked-list.tsx";
import type { AgentPolicy } from "./words.ts";

const DEMANDS = choicesOf(AGENT_POLICY_DEMANDS, {
  nothing: "Only the operations and permissions listed below",
  drastic: "Deletions, revocations, decisions and changes in production",
  changes: "All changes",
});

/** The policy for agent calls: which calls need an approval, and the approvers. */
export function Policy() {
  const { data, error, refetch, isPending } = useOp("agent_policy.get");
  return (
    <Section
      title="Approval policy"
      about="Calls of agents that need approval. If no approval is needed here, the agent's client may still ask its user."
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      {data && <PolicyForm policy={data.data} />}
    </Section>
  );
}

function PolicyForm({ policy }: { readonly policy: AgentPolicy }) {
  const form = useForm("agent_policy.set", {
    initial: policy,
    version: versionOf("agent_policy.get", {}, ({ data }) => data),
    said: "Approval policy saved.",
  });
  const list = (name: "approvers" | "operations" | "permissions", label: string) => {
    const { value, onChange, errorFor, isDisabled } = form.field(name);
    return { label, values: value ?? [], onChange, error: errorFor(label), isReader: isDisabled };
  };
  return (
    <div className="agent-policy">
      <FormPanel form={form} label="Approval policy">
        <SelectField
          {...form.field("demands")}
          label="Calls that need approval"
          options={DEMANDS}
          isRequired
        />
        <ApproverList {...list("approvers", "Approvers")} help="One approval is enough." />
        <OperationList
          {...list("operations", "Additional operations")}
          help="Select single operations or all operations of a kind."
        />
        <PermissionList
          {...list("permissions", "Additional permissions")}
          help="Operations that need one of these permissions require approval."
        />
        <NumberField {...form.field("expiresInHours")} label="Expires after" unit="hours" />
        <CheckField
          {...form.field("fourEyes")}
          label="Require another member to approve an agent's calls"
        />
      </FormPanel>
    </div>
  );
}
