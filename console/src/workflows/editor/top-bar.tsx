import {
  Braces,
  CircleAlert,
  FlaskConical,
  History as HistoryIcon,
  Play,
  Redo2,
  Rocket,
  Undo2,
} from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ENVIRONMENTS, place } from "../../data/place.ts";
import type { Schemas } from "../../data/api.ts";
import { Keys } from "../../ui/key.tsx";
import { count, toWords } from "../../ui/words.ts";
import type { Problem } from "../graph/problems.ts";
import { stoppedWords } from "../deployed/stop-reason.ts";
import type { Draft } from "./draft/use-draft.ts";
import { Button, PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

interface TopBarProps {
  readonly workflow: Schemas["Workflow"];
  readonly draft: Draft;
  readonly name: string;
  readonly locked: string | undefined;
  readonly cannotTest: string | undefined;
  readonly cannotRun: string | undefined;
  readonly cannotDeploy: string | undefined;
  readonly problems: readonly Problem[];
  readonly panel: string | undefined;
  readonly people: ReactNode;
  readonly menu: ReactNode;
  readonly on: {
    readonly rename: (name: string) => void;
    readonly undo: () => void;
    readonly redo: () => void;
    readonly save: () => void;
    readonly test: () => void;
    readonly run: () => void;
    readonly publish: () => void;
    readonly showProblems: () => void;
    readonly toggleJson: () => void;
    readonly showVersions: () => void;
  };
}

/** The name of the workflow, its status and the actions on all of it. */
export function TopBar(props: TopBarProps) {
  const { workflow, draft, name, locked, problems, panel, on } = props;
  return (
    <header className="page-head editor-head">
      <h1 className="hide">{name}</h1>
      <NameField name={name} locked={locked} onRename={on.rename} />
      <span className="editor-states">
        <EnvironmentTags workflow={workflow} />
        <SaveState draft={draft} locked={locked} />
        {problems.length > 0 && (
          <PlainButton
            className={`tag plain ${problems.some(({ severity }) => severity !== "warning") ? "bad" : "warn"}`}
            aria-pressed={panel === "problems"}
            onClick={on.showProblems}
          >
            <CircleAlert />
            {count(problems.length, "problem")}
          </PlainButton>
        )}
      </span>
      <span className="grow" />
      {props.people}
      <IconButton
        label={draft.undoLabel === undefined ? "Undo" : `Undo: ${draft.undoLabel}`}
        keys="Control+Z"
        isDisabled={locked !== undefined || draft.undoLabel === undefined}
        onClick={on.undo}
      >
        <Undo2 />
      </IconButton>
      <IconButton
        label={draft.redoLabel === undefined ? "Redo" : `Redo: ${draft.redoLabel}`}
        keys="Control+Shift+Z"
        isDisabled={locked !== undefined || draft.redoLabel === undefined}
        onClick={on.redo}
      >
        <Redo2 />
      </IconButton>
      <IconButton label="JSON" keys="J" isPressed={panel === "json"} onClick={on.toggleJson}>
        <Braces />
      </IconButton>
      <IconButton
        label="Versions"
        keys="V"
        isPressed={panel === "versions"}
        onClick={on.showVersions}
      >
        <HistoryIcon />
      </IconButton>
      {props.menu}
      <MainActs {...props} />
    </header>
  );
}

function MainActs(props: TopBarProps) {
  const { draft, locked, cannotTest, cannotRun, cannotDeploy, on } = props;
  return (
    <>
      <Button
        className="editor-save"
        disabled={locked !== undefined || !draft.isDirty || draft.isSaving}
        title={locked ?? (draft.isDirty ? "Save as a new version" : "No unsaved changes")}
        onClick={on.save}
      >
        Save <Keys keys="mod+s" />
      </Button>
      <Button
        disabled={cannotTest !== undefined}
        title={cannotTest ?? "Run the draft without calling other systems"}
        onClick={on.test}
      >
        <FlaskConical />
        <span>Dry run</span> <Keys keys="t" />
      </Button>
      <Button
        disabled={cannotDeploy !== undefined}
        title={cannotDeploy ?? "Review the changes and deploy"}
        onClick={on.publish}
      >
        <Rocket />
        <span>Deploy</span> <Keys keys="d" />
      </Button>
      <Button
        look="main"
        disabled={cannotRun !== undefined}
        title={cannotRun ?? `Run the version in ${place.environment}`}
        onClick={on.run}
      >
        <Play />
        <span>Run</span> <Keys keys="r" />
      </Button>
    </>
  );
}

function IconButton(props: {
  readonly label: string;
  readonly keys?: string;
  readonly isDisabled?: boolean;
  readonly isPressed?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  const { label, keys, isDisabled = false, isPressed, onClick, children } = props;
  return (
    <Button
      look="bare"
      isIcon
      aria-label={label}
      title={label}
      aria-keyshortcuts={keys}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}

/** An editable title: Enter and blur save it, Escape restores it. */
function NameField(props: {
  readonly name: string;
  readonly locked: string | undefined;
  readonly onRename: (name: string) => void;
}) {
  const { name, locked, onRename } = props;
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const take = (): void => {
    const next = text.trim();
    if (next === "" || next === name) setText(name);
    else onRename(next);
  };
  return (
    <TextInput
      isBare
      className="editor-name"
      aria-label="Workflow name"
      value={text}
      readOnly={locked !== undefined}
      title={locked ?? "Rename"}
      onChange={(event) => setText(event.target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") event.currentTarget.blur();
        if (event.key !== "Escape") return;
        event.stopPropagation();
        setText(name);
      }}
    />
  );
}

/** Shows the deployed version of each environment; environments with the same version share a tag. */
function EnvironmentTags({ workflow }: { readonly workflow: Schemas["Workflow"] }) {
  if (workflow.status === "archived") return <span className="tag idle">Archived</span>;
  const deployed = ENVIRONMENTS.flatMap((name) => {
    const at = workflow.environments[name];
    return at ? [{ name, ...at }] : [];
  });
  if (deployed.length === 0) return <span className="tag idle">Not deployed</span>;
  return deployed.map(({ name, ...state }) => {
    const { version, enabled } = state;
    const stopped = stoppedWords(state);
    const tone = stopped !== undefined ? "bad" : enabled ? "ok" : "idle";
    const title =
      stopped ?? (enabled ? `Version ${version} deployed to ${name}` : `Off in ${name}`);
    return (
      <span key={name} className={`tag ${tone}`} title={title}>
        {toWords(name)} v{version}
        {stopped !== undefined ? <>: {stopped}</> : enabled ? "" : ", off"}
      </span>
    );
  });
}

function SaveState({
  draft,
  locked,
}: {
  readonly draft: Draft;
  readonly locked: string | undefined;
}) {
  if (locked !== undefined) {
    return (
      <span className="tag plain idle" title={locked}>
        Read only
      </span>
    );
  }
  if (draft.isSaving) return <span className="muted editor-saved">Saving…</span>;
  if (!draft.isDirty) return <span className="muted editor-saved">Saved</span>;
  return (
    <span className="tag plain warn" title="Stored in this browser until you save it as a version">
      Draft
    </span>
  );
}
