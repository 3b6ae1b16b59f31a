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
  nothing: "Nothing, but the lists below",
  drastic: "What deletes, ends, decides or reaches production",
  changes: "Whatever changes something",
});

/** The policy for agent calls: which calls need an approval, and the approvers. */
export function Policy() {
  const { data, error, refetch, isPending } = useOp("agent_policy.get");
  return (
    <Section
      title="Approvals"
      about="What an agent may do only after a person has approved it. Without it, the agent’s own client asks its person."
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
    said: "Agents are bound by this from now on.",
  });
  const list = (name: "approvers" | "operations" | "permissions", label: string) => {
    const { value, onChange, errorFor, isDisabled } = form.field(name);
    return { label, values: value ?? [], onChange, error: errorFor(label), isReader: isDisabled };
  };
  return (
    <div className="agent-policy">
      <FormPanel form={form} label="Approvals of agents">
        <SelectField
          {...form.field("demands")}
          label="A person approves"
          options={DEMANDS}
          isRequired
        />
        <ApproverList {...list("approvers", "Who approves")} help="Whoever of them comes first." />
        <OperationList
          {...list("operations", "Further operations")}
          help="One by one, or all of a kind."
        />
        <PermissionList
          {...list("permissions", "Further permissions")}
          help="Whatever needs one of them."
        />
        <NumberField {...form.field("expiresInHours")} label="A call waits for" unit="hours" />
        <CheckField {...form.field("fourEyes")} label="Nobody approves a call of their own agent" />
      </FormPanel>
    </div>
  );
}
