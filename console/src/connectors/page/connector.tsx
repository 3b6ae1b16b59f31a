import "../connectors.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Ellipsis, PlugZap, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useCommand } from "../../data/use-command.ts";
import { PageError } from "../../shell/not-found.tsx";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Loading } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { count, toDuration, toWords } from "../../ui/words.ts";
import { connectorState, drawType } from "../connector-type.ts";
import { CONNECTOR_TABS, type ConnectorTab } from "../search.ts";
import { Actions } from "./actions.tsx";
import { Consent } from "./consent.tsx";
import { ConnectorSettings } from "./settings.tsx";
import { Usage } from "./usage.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

type Connector = Schemas["Connector"];

/** The page of a connector: actions, usage and settings. */
export function ConnectorPage() {
  const { id } = useParams({ from: "/inside/connectors/$id" });
  const { tab = "actions" } = useSearch({ from: "/inside/connectors/$id" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("connectors.get", { params: { id } });
  const connector = data?.data;
  useTitle(connector?.name);
  const choose = (next: ConnectorTab): void =>
    void navigate({
      to: "/connectors/$id",
      params: { id },
      search: { tab: next === "actions" ? undefined : next },
      replace: true,
    });
  if (error) return <PageError error={error} retry={() => void refetch()} />;
  if (isPending || !connector) return <Loading rows={10} />;
  return (
    <div className="page paper">
      <Head connector={connector} />
      {connector.status === "down" && connector.statusReason !== null && (
        <p className="problem" role="status">
          {connector.statusReason}
        </p>
      )}
      <Consent connector={connector} />
      <Tabs
        className="con-tabs"
        label={connector.name}
        tabs={CONNECTOR_TABS.map((one) => ({ id: one, label: toWords(one) }))}
        chosen={tab}
        onChoose={choose}
      >
        {tab === "actions" && <Actions connector={connector} />}
        {tab === "usage" && <Usage connectorId={id} />}
        {tab === "settings" && <ConnectorSettings key={id} connector={connector} />}
      </Tabs>
    </div>
  );
}

function Head({ connector }: { readonly connector: Connector }) {
  const { id, name, type, status, document } = connector;
  const navigate = useNavigate();
  const { icon: Icon, label } = drawType(type);
  const [isEnding, setEnding] = useState(false);
  const input = { params: { id } };
  const tested = useCommand("connectors.test", {
    said: ({ data }) =>
      data.ok
        ? `Connection to ${name} works. Response time: ${toDuration(data.latencyMs)}.`
        : `${name}: ${data.error ?? "The system did not respond"}`,
  });
  const test = (): void => void tested.run(input);
  const refresh = useCommand("connectors.refresh", {
    said: ({ data }) => `OpenAPI document read: ${count(data.document?.actions ?? 0, "action")}.`,
  });
  const remove = useCommand("connectors.delete", {
    said: `${name} deleted.`,
    onDone: () => void navigate({ to: "/connectors" }),
  });
  useActions([{ keys: "t", label: "Test connector", run: test, disabled: tested.refusal }]);
  return (
    <header className="page-head con-page-head">
      <span className="con-icon">
        <Icon className="ico" />
      </span>
      <div className="grow con-title">
        <h1 className="cut">{name}</h1>
        <span className="muted cut">
          {label}
          {document && ` · ${document.title} ${document.version}`}
        </span>
      </div>
      <State {...connectorState(status)} />
      <CommandButton command={tested} keys="t" onPress={test}>
        <PlugZap /> {tested.isBusy ? "Testing…" : "Test connector"}
      </CommandButton>
      <Menu
        label="More actions"
        className="btn bare icon"
        items={[
          ...(document
            ? [
                {
                  label: "Reload OpenAPI document",
                  icon: <RefreshCw />,
                  disabled: refresh.refusal,
                  onPick: () => void refresh.run(input),
                },
              ]
            : []),
          {
            label: "Delete connector",
            icon: <Trash2 />,
            isDangerous: true,
            disabled: remove.refusal,
            onPick: () => setEnding(true),
          },
        ]}
      >
        <Ellipsis />
      </Menu>
      {isEnding && (
        <DeleteConnector
          connector={connector}
          onAct={() => {
            setEnding(false);
            void remove.run(input);
          }}
          onClose={() => setEnding(false)}
        />
      )}
    </header>
  );
}

function DeleteConnector(props: {
  readonly connector: Connector;
  readonly onAct: () => void;
  readonly onClose: () => void;
}) {
  const { id, name } = props.connector;
  const usage = useOp("connectors.get_usage", { params: { id } }).data?.data;
  const users = usage?.usedIn.map((one) => one.name) ?? [];
  return (
    <Confirm
      title={`Delete ${name}?`}
      act="Delete connector"
      isBusy={usage === undefined}
      onAct={props.onAct}
      onClose={props.onClose}
    >
      <p>Credentials entered in this connector are deleted. Secrets that it uses are kept.</p>
      {users.length > 0 && (
        <p>
          <strong>{count(users.length, "reference")} would fail:</strong> {users.join(", ")}.
        </p>
      )}
    </Confirm>
  );
}
