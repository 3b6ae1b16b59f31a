import { useNavigate, useSearch } from "@tanstack/react-router";
import {
  Braces,
  ExternalLink,
  MousePointer2,
  Redo2,
  Rocket,
  Smartphone,
  Undo2,
} from "lucide-react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { place } from "../../data/place.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { toWords } from "../../ui/words.ts";
import { addressOf } from "../list/apps.tsx";
import type { AppDraft, SaveState } from "./use-app.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select } from "../../ui/form/controls.tsx";

interface BuilderHeadProps {
  readonly app: Schemas["App"];
  readonly draft: AppDraft;
  readonly mayEdit: boolean;
  readonly role: string;
  readonly setRole: (role: string) => void;
  readonly isUsed: boolean;
  readonly setUsed: (isUsed: boolean) => void;
  readonly isPhone: boolean;
  readonly setPhone: (isPhone: boolean) => void;
  readonly onPublish: () => void;
}

const BUILT_IN = ["admin", "builder", "agent", "change_manager", "member", "viewer", "auditor"];

export function BuilderHead(props: BuilderHeadProps) {
  const { app, draft, mayEdit, role, setRole, isUsed, setUsed, isPhone, setPhone } = props;
  const navigate = useNavigate();
  const { view } = useSearch({ from: "/inside/builder/$id" });
  const may = useMay();
  const roles = useOp("roles.list", { query: { limit: 100 } }, { enabled: may("roles.list") });
  const offered =
    roles.data?.data.map(({ id, name }) => ({ id, name })) ??
    BUILT_IN.map((id) => ({ id, name: id }));
  const live = app.environments[place.environment];
  const mayDeploy = may("apps.deploy") && mayEdit;
  return (
    <header className="page-head builder-head">
      <h1 className="cut">{draft.draft.name}</h1>
      <SaveNote state={draft.state} />
      <span className="grow" />
      <label className="builder-role">
        <span className="muted">View as</span>
        <Select
          aria-label="Preview as"
          value={role}
          disabled={!mayEdit}
          onChange={({ target }) => setRole(target.value)}
        >
          <option value="">Current user</option>
          {offered.map(({ id, name }) => (
            <option key={id} value={id}>
              {toWords(name)}
            </option>
          ))}
        </Select>
      </label>
      <Toggle label="Interactive preview" isOn={isUsed} onTurn={setUsed}>
        <MousePointer2 />
      </Toggle>
      <Toggle label="Mobile preview" isOn={isPhone} onTurn={setPhone}>
        <Smartphone />
      </Toggle>
      <Toggle
        label="Show JSON"
        isOn={view === "json"}
        onTurn={(isOn) =>
          void navigate({
            to: ".",
            search: (old) => ({ ...old, view: isOn ? ("json" as const) : undefined }),
            replace: true,
          })
        }
      >
        <Braces />
      </Toggle>
      <IconButton label="Undo" isOff={!draft.canUndo} onPress={draft.undo}>
        <Undo2 />
      </IconButton>
      <IconButton label="Redo" isOff={!draft.canRedo} onPress={draft.redo}>
        <Redo2 />
      </IconButton>
      {live && (
        <a
          className="btn bare icon"
          href={addressOf(app.slug, place.environment)}
          target="_blank"
          rel="noreferrer"
          aria-label="Open app"
          title={`Open the app in ${place.environment}`}
        >
          <ExternalLink />
        </a>
      )}
      <Button
        look="main"
        type="button"
        disabled={!mayDeploy}
        title={mayDeploy ? undefined : "You don't have permission to publish apps."}
        onClick={props.onPublish}
      >
        <Rocket /> Publish
      </Button>
    </header>
  );
}

const WORDS: Readonly<Record<SaveState["kind"], string>> = {
  saved: "Saved",
  waiting: "Unsaved changes",
  saving: "Saving…",
  refused: "Not saved",
  conflict: "Not saved",
};

function SaveNote({ state }: { readonly state: SaveState }) {
  const words = state.kind === "refused" ? state.message : WORDS[state.kind];
  return (
    <span
      className={state.kind === "refused" ? "builder-saved bad" : "builder-saved"}
      role="status"
    >
      {words}
    </span>
  );
}

function Toggle(props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
  readonly children: React.ReactNode;
}) {
  return (
    <Button
      look="bare"
      isIcon
      type="button"
      aria-pressed={props.isOn}
      aria-label={props.label}
      title={props.label}
      onClick={() => props.onTurn(!props.isOn)}
    >
      {props.children}
    </Button>
  );
}
