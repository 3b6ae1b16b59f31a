import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { ConnectorFields } from "../form/connector-fields.tsx";
import { type ConnectorDraft, type ConnectorType, toParts } from "../form/draft.ts";

type Connector = Schemas["Connector"];

const toDraft = ({ name, config, auth }: Connector): ConnectorDraft => ({
  name,
  config,
  auth: { ...auth },
});

export function ConnectorSettings({ connector }: { readonly connector: Connector }) {
  const types = useOp("connectors.types", { query: { limit: 200 } }).data?.data;
  const type = types?.find((one) => one.type === connector.type);
  if (!type) return <Loading rows={6} />;
  return <SettingsForm connector={connector} type={type} />;
}

interface SettingsFormProps {
  readonly connector: Connector;
  readonly type: ConnectorType;
}

function SettingsForm({ connector, type }: SettingsFormProps) {
  const params = { id: connector.id };
  const form = useForm("connectors.update", {
    params,
    initial: toDraft(connector),
    version: versionOf("connectors.get", { params }, ({ data }) => toDraft(data)),
    toBody: (draft: ConnectorDraft) => ({ name: draft.name, ...toParts(type, draft) }),
    said: ({ data }) => `${data.name} saved. Test the connector next.`,
  });
  return (
    <div className="scroll con-form">
      <FormPanel form={form} label="Settings">
        <ConnectorFields type={type} form={form} />
      </FormPanel>
    </div>
  );
}
