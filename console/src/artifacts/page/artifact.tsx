import "../artifacts.css";
import { useBlocker, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Ellipsis, Pause, Play, Trash2 } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { CodeEditor, completeScript, placeOfError } from "../../code/index.ts";
import { ApiError, call, etagOf, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useCommand } from "../../data/use-command.ts";
import { useOutcome } from "../../data/form/use-outcome.ts";
import { PageError } from "../../shell/not-found.tsx";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Loading, Refusal } from "../../ui/feedback.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { notify } from "../../ui/toast.tsx";
import { toWords } from "../../ui/words.ts";
import {
  type Artifact,
  artifactState,
  labelOfType,
  parseObject,
  firstInput,
} from "../artifact-type.ts";
import { ARTIFACT_TABS, type ArtifactTab } from "../search.ts";
import { History } from "./history.tsx";
import { RunPanel } from "./run-panel.tsx";
import { ArtifactSettings } from "./settings.tsx";
import { Tests } from "./tests.tsx";
import { Versions } from "./versions.tsx";
import { CommandButton } from "../../ui/form/command-button.tsx";

/** The page of an artifact: source, and next to it runs, tests, history and versions. */
export function ArtifactPage() {
  const { id } = useParams({ from: "/inside/artifacts/$id" });
  const { data, error, isPending, refetch } = useOp("artifacts.get", { params: { id } });
  useTitle(data?.data.name);
  if (error) return <PageError error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={12} />;
  return <Workbench key={id} artifact={data.data} />;
}

function Workbench({ artifact }: { readonly artifact: Artifact }) {
  const { id, detail } = artifact;
  const { tab = "run" } = useSearch({ from: "/inside/artifacts/$id" });
  const navigate = useNavigate();
  const [draft, setDraft] = useState<string>();
  const base = useRef<string>(undefined);
  // A shortcut right after a keystroke runs before the render, so the newest text is read from the ref.
  const newest = useRef<string>(undefined);
  const update = useOutcome("artifacts.update");
  const problem = toProblem(update.outcome?.error);
  const [input, setInput] = useState(() => JSON.stringify(firstInput(artifact), null, 2));
  const source = draft ?? detail.scriptSource;
  const isChanged = draft !== undefined && draft !== detail.scriptSource;
  const { isBusy, refusal } = update;
  const reason = refusal ?? (isChanged ? undefined : "There are no unsaved changes.");
  const save = async (): Promise<boolean> => {
    const scriptSource = newest.current ?? detail.scriptSource;
    if (scriptSource === detail.scriptSource) return true;
    const input = { params: { id }, body: { detail: { scriptSource } } };
    const { reply } = await update.run(input, base.current);
    if (!reply) return false;
    newest.current = undefined;
    setDraft(undefined);
    notify(`Saved as version ${reply.data.versionNumber}.`);
    return true;
  };
  useBlocker({
    shouldBlockFn: () => isChanged && !confirm("Discard unsaved changes?"),
    enableBeforeUnload: () => isChanged,
  });
  useActions([
    {
      keys: "mod+s",
      label: "Save artifact",
      run: () => void save(),
      disabled: refusal,
      always: true,
    },
  ]);
  const choose = (next: ArtifactTab): void =>
    void navigate({
      to: "/artifacts/$id",
      params: { id },
      search: { tab: next === "run" ? undefined : next },
      replace: true,
    });
  return (
    <div className="page">
      <Head artifact={artifact}>
        <CommandButton
          command={{ isBusy, refusal: reason }}
          isMain
          keys="mod+s"
          onPress={() => void save()}
        >
          Save
        </CommandButton>
      </Head>
      <div className="art-split">
        <Source
          source={source}
          input={input}
          problem={problem}
          isReadOnly={refusal !== undefined}
          onChange={(next) => {
            if (newest.current === undefined)
              base.current = etagOf("artifacts.get", { params: { id } });
            newest.current = next;
            setDraft(next);
          }}
        />
        <Tabs
          className="art-tabs"
          label={artifact.name}
          tabs={ARTIFACT_TABS.map((one) => ({ id: one, label: toWords(one) }))}
          chosen={tab}
          onChoose={choose}
        >
          {tab === "run" && (
            <RunPanel artifact={artifact} input={input} onInput={setInput} beforeRun={save} />
          )}
          {tab === "tests" && <Tests artifactId={id} input={input} beforeRun={save} />}
          {tab === "history" && <History artifact={artifact} />}
          {tab === "versions" && <Versions artifact={artifact} />}
          {tab === "settings" && <ArtifactSettings artifact={artifact} />}
        </Tabs>
      </div>
    </div>
  );
}

/** Describes an error in the source, or why it could not be saved. */
function toProblem(error: Error | undefined): string | undefined {
  const found = error instanceof ApiError ? error.errors[0]?.message : undefined;
  return found ?? (error && describeRefusal(error));
}

interface SourceProps {
  readonly source: string;
  /** The input of the run panel, used for completion in the editor. */
  readonly input: string;
  readonly problem: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (source: string) => void;
}

function Source(props: SourceProps) {
  const { source, input, problem } = props;
  const completion = useMemo(() => completeScript(() => parseObject(input)), [input]);
  const marks = useMemo(() => {
    const place = problem === undefined ? undefined : placeOfError(source, problem);
    return place ? [{ ...place, message: problem ?? "" }] : [];
  }, [source, problem]);
  return (
    <div className="art-source">
      <CodeEditor
        value={source}
        label="Source code"
        language="typescript"
        isBlock
        tab="indents"
        isReadOnly={props.isReadOnly}
        isInvalid={problem !== undefined}
        description={problem ?? "Press Escape, then Tab to leave the editor"}
        completion={completion}
        marks={marks}
        onChange={props.onChange}
      />
      <Refusal reason={problem} />
    </div>
  );
}

function Head({
  artifact,
  children,
}: {
  readonly artifact: Artifact;
  readonly children: React.ReactNode;
}) {
  const { id, name, moduleKey, artifactType, status, versionNumber } = artifact;
  const navigate = useNavigate();
  const [isEnding, setEnding] = useState(false);
  const isActive = status === "active";
  const toStatus = (next: Artifact["status"]) => ({ params: { id }, body: { status: next } });
  const turn = useCommand("artifacts.update", {
    said: isActive ? `${name} paused.` : `${name} activated.`,
    undo: () => call("artifacts.update", toStatus(status)),
  });
  const remove = useCommand("artifacts.delete", {
    said: `${name} deleted.`,
    onDone: () => void navigate({ to: "/artifacts" }),
  });
  return (
    <header className="page-head art-page-head">
      <div className="grow art-title">
        <h1 className="cut">{name}</h1>
        <span className="muted cut">
          {moduleKey} · {labelOfType(artifactType)} · version {versionNumber}
        </span>
      </div>
      <State {...artifactState(status)} />
      <CommandButton
        command={turn}
        onPress={() => void turn.run(toStatus(isActive ? "disabled" : "active"))}
      >
        {isActive ? <Pause /> : <Play />}
        {isActive ? "Pause" : "Activate"}
      </CommandButton>
      {children}
      <Menu
        label="More actions"
        className="btn bare icon"
        items={[
          {
            label: "Delete artifact",
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
        <Confirm
          title={`Delete ${name}?`}
          act="Delete artifact"
          onAct={() => {
            setEnding(false);
            void remove.run({ params: { id } });
          }}
          onClose={() => setEnding(false)}
        >
          Deletes the artifact with its versions and tests. Workflows and scripts that use it fail.
          This can't be undone.
        </Confirm>
      )}
    </header>
  );
}
