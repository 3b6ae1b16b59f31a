import { type ReactNode, useState } from "react";
import { ApiError, call, etagOf, useOp } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { useMay } from "../data/people.ts";
import { Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { notify } from "../ui/toast.tsx";
import { ApproverList, OperationList, PermissionList } from "../data/options/picked-list.tsx";
import type { AgentPolicy } from "./words.ts";
import { Button } from "../ui/form/button.tsx";
import { CheckBox, Select, TextInput } from "../ui/form/controls.tsx";

const DEMANDS: Readonly<Record<AgentPolicy["demands"], string>> = {
  nothing: "Nothing, but the lists below",
  drastic: "What deletes, ends, decides or reaches production",
  changes: "Whatever changes something",
};

/** Which calls of agents need an approval, and whose. */
export function Policy() {
  const { data, error, refetch, isPending } = useOp("agent_policy.get");
  return (
    <Section
      title="Approvals"
      about="What an agent may do only after a person has approved it. Without it, the agent’s own client asks its person."
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      {data && <PolicyForm key={data.data.updatedAt ?? ""} policy={data.data} />}
    </Section>
  );
}

type ListName = "approvers" | "operations" | "permissions";

type Draft = Omit<AgentPolicy, "updatedAt">;

function PolicyForm({ policy }: { readonly policy: AgentPolicy }) {
  const may = useMay();
  const [etag] = useState(() => etagOf("agent_policy.get"));
  const [draft, setDraft] = useState<Draft>(() => {
    const { updatedAt: _, ...own } = policy;
    return own;
  });
  const [errors, setErrors] = useState<ApiError["errors"]>([]);
  const isReader = !may("agent_policy.set");
  const save = async (): Promise<void> => {
    try {
      await call("agent_policy.set", { body: draft }, etag === undefined ? {} : { ifMatch: etag });
      notify("Agents are bound by this from now on.");
      setErrors([]);
    } catch (failure) {
      const own = failure instanceof ApiError ? failure.errors : [];
      setErrors(own);
      if (own.length === 0) notify(describeRefusal(failure));
    }
  };
  return (
    <form
      className="agent-policy"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <PolicyFields
        draft={draft}
        isReader={isReader}
        errorOf={(name) => errors.find(({ path }) => path.startsWith(`/${name}`))?.message}
        onChange={(change) => setDraft((old) => ({ ...old, ...change }))}
      />
      {!isReader && (
        <div className="row">
          <Button look="main">Save</Button>
        </div>
      )}
    </form>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly isReader: boolean;
  readonly errorOf: (name: ListName) => string | undefined;
  readonly onChange: (change: Partial<Draft>) => void;
}

function PolicyFields(props: FieldsProps): ReactNode {
  const { draft, isReader, errorOf, onChange } = props;
  const list = (name: ListName) => ({
    values: draft[name],
    error: errorOf(name),
    isReader,
    onChange: (values: readonly string[]) => onChange({ [name]: [...values] }),
  });
  return (
    <>
      <Field label="A person approves">
        {(bound) => (
          <Select
            {...bound}
            disabled={isReader}
            value={draft.demands}
            onChange={({ target }) => onChange({ demands: target.value as AgentPolicy["demands"] })}
          >
            {Object.entries(DEMANDS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ApproverList
        {...list("approvers")}
        error={
          errorOf("approvers") && draft.approvers.length === 0
            ? "Name at least one."
            : errorOf("approvers")
        }
        label="Who approves"
        help="Whoever of them comes first."
      />
      <OperationList
        {...list("operations")}
        label="Further operations"
        help="One by one, or all of a kind."
      />
      <PermissionList
        {...list("permissions")}
        label="Further permissions"
        help="Whatever needs one of them."
      />
      <Field label="A call waits for, in hours">
        {(bound) => (
          <TextInput
            {...bound}
            className="agent-policy-hours"
            type="number"
            min={1}
            max={168}
            disabled={isReader}
            value={draft.expiresInHours}
            onChange={({ target }) => onChange({ expiresInHours: Number(target.value) })}
          />
        )}
      </Field>
      <label className="row">
        <CheckBox
          checked={draft.fourEyes}
          disabled={isReader}
          onChange={({ target }) => onChange({ fourEyes: target.checked })}
        />
        Nobody approves a call of their own agent
      </label>
    </>
  );
}
