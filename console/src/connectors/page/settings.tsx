import { useState } from "react";
import { ApiError, call, etagOf, type Schemas, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMay } from "../../data/people.ts";
import type { FieldError } from "../../form/index.ts";
import { useActions } from "../../shell/actions.ts";
import { Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { notify } from "../../ui/toast.tsx";
import { ConnectorFields } from "../form/connector-fields.tsx";
import { type ConnectorDraft, toParts } from "../form/draft.ts";
import { Button } from "../../ui/form/button.tsx";

type Connector = Schemas["Connector"];

const toDraft = ({ name, config, auth }: Connector): ConnectorDraft => ({
  name,
  config,
  auth: { ...auth },
});

/** The fields of a connector that exists, saved on the version that they were read from. */
export function ConnectorSettings({ connector }: { readonly connector: Connector }) {
  const { id } = connector;
  const may = useMay();
  const types = useOp("connectors.types", { query: { limit: 200 } }).data?.data;
  const type = types?.find((one) => one.type === connector.type);
  const [draft, setDraft] = useState<ConnectorDraft>();
  const [base, setBase] = useState<string>();
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [isBusy, setBusy] = useState(false);
  const shown = draft ?? toDraft(connector);
  const mayWrite = may("connectors.update");
  const denied = mayWrite ? undefined : "You may not change connectors.";
  const reason = denied ?? (draft === undefined ? "Nothing is changed." : undefined);
  const change = (fields: Partial<ConnectorDraft>): void => {
    if (draft === undefined) setBase(etagOf("connectors.get", { params: { id } }));
    setDraft({ ...shown, ...fields });
  };
  const save = async (): Promise<void> => {
    if (!type) return;
    setBusy(true);
    setErrors([]);
    try {
      const body = { name: shown.name.trim(), ...toParts(type, shown) };
      const options = base === undefined ? {} : { ifMatch: base };
      await call("connectors.update", { params: { id }, body }, options);
      setDraft(undefined);
      notify(`${body.name} is saved. Test it next.`);
    } catch (failure) {
      if (failure instanceof ApiError) setErrors(failure.errors);
      notify(describeRefusal(failure));
    }
    setBusy(false);
  };
  useActions([
    { keys: "mod+s", label: "Save", run: () => void save(), disabled: reason, always: true },
  ]);
  if (!type) return <Loading rows={6} />;
  return (
    <div className="scroll con-form">
      <ConnectorFields
        type={type}
        draft={shown}
        errors={errors}
        isDisabled={!mayWrite}
        onChange={change}
      />
      <footer className="row">
        <Button
          look="main"
          disabled={reason !== undefined || isBusy}
          title={reason}
          onClick={() => void save()}
        >
          Save <Keys keys="mod+s" />
        </Button>
        {draft !== undefined && (
          <Button onClick={() => setDraft(undefined)}>Discard changes</Button>
        )}
      </footer>
    </div>
  );
}
