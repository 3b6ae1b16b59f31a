/** The app builder: parts, a live preview with real data, and the properties of the selected part. */
import "../apps.css";
import { useParams, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import type { Schema } from "../../form/index.ts";
import { useTitle } from "../../shell/title.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { useIsNarrow } from "../../ui/behaviour/narrow.ts";
import { count } from "../../ui/words.ts";
import { Properties } from "../properties/properties.tsx";
import { PublishDialog } from "../publish/publish-dialog.tsx";
import { BuilderHead } from "./builder-head.tsx";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { ErrorBar } from "./error-bar.tsx";
import { JsonPanel } from "./json-panel.tsx";
import { AddDialogs } from "./add-dialogs.tsx";
import { Stage } from "./stage.tsx";
import { Tree } from "./tree.tsx";
import { type AppDraft, useApp } from "./use-app.ts";
import { type Dialog, useBuilderActs } from "./use-builder-acts.ts";
import { type Preview, type StageState, usePreview } from "./use-preview.ts";
import { Button } from "../../ui/form/button.tsx";

export function AppBuilder() {
  const { id } = useParams({ from: "/inside/builder/$id" });
  const { data, error, refetch } = useOp("apps.get", { params: { id } });
  useTitle(data?.data.name);
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (!data || data.data.id !== id) return <Loading />;
  return <Builder key={id} app={data.data} />;
}

const PANES = [
  { id: "tree", label: "Components" },
  { id: "stage", label: "Preview" },
  { id: "side", label: "Properties" },
] as const;

type Pane = (typeof PANES)[number]["id"];

function Builder({ app }: { readonly app: Schemas["App"] }) {
  const { at = "/pages/0", view } = useSearch({ from: "/inside/builder/$id" });
  const mayEdit = useMay()("apps.create") && app.status === "active";
  const draft = useApp(app, mayEdit);
  const [role, setRole] = useState("");
  const [isUsed, setUsed] = useState(false);
  const [isPhone, setPhone] = useState(false);
  const [dialog, setDialog] = useState<Dialog>();
  const [pane, setPane] = useState<Pane>("stage");
  const isNarrow = useIsNarrow();
  const { preview, error, setStage } = usePreview(draft.draft, at, { role, mayEdit });
  const published = useOp("apps.schema").data?.data as Schema | undefined;
  const acts = useBuilderActs({ app: draft, at, mayEdit, setDialog });
  const problems = preview?.problems ?? [];
  const isShown = (one: Pane): boolean => !isNarrow || pane === one;
  useEffect(() => setStage({ inputs: {}, views: {}, selected: {} }), [setStage, app.id]);
  return (
    <div className="page builder">
      <BuilderHead
        {...{ app, draft, mayEdit, role, setRole, isUsed, setUsed, isPhone, setPhone }}
        onPublish={() => setDialog("publish")}
      />
      <ErrorBar {...{ app, problems }} error={error} onJump={draft.choose} />
      {isNarrow && <Panes pane={pane} setPane={setPane} />}
      <div className={view === "json" ? "builder-body with-json" : "builder-body"}>
        {isShown("tree") && (
          <Tree
            app={draft}
            at={at}
            broken={problems.map(({ path }) => path)}
            rowsOf={(name) => rowsOf(preview, name)}
            mayEdit={mayEdit}
            onAdd={() => setDialog("component")}
            onAddPage={() => setDialog("page")}
            onAddSource={() => setDialog("source")}
          />
        )}
        {isShown("stage") && (
          <StagePane {...{ draft, at, preview, isUsed, isPhone, setStage }} isOff={!mayEdit} />
        )}
        {view === "json" && <JsonPanel app={draft} mayEdit={mayEdit} />}
        {isShown("side") && (
          <Properties
            app={draft}
            at={at}
            published={published}
            preview={preview}
            problems={problems}
            mayEdit={mayEdit}
            onRemove={acts.remove}
            onCopy={acts.copy}
            onWrap={acts.wrap}
          />
        )}
      </div>
      <AddDialogs
        app={draft}
        at={at}
        dialog={dialog}
        preview={preview}
        onClose={() => setDialog(undefined)}
      />
      {dialog === "publish" && (
        <PublishDialog
          app={app}
          draft={draft.draft}
          onSave={draft.save}
          onJump={draft.choose}
          onClose={() => setDialog(undefined)}
        />
      )}
      {draft.state.kind === "conflict" && (
        <ConflictDialog app={draft} theirs={draft.state.theirs} />
      )}
    </div>
  );
}

/** Phones show one pane of the builder at a time. */
function Panes(props: { readonly pane: Pane; readonly setPane: (pane: Pane) => void }) {
  return (
    <div className="builder-panes" role="group" aria-label="Section of the builder">
      {PANES.map(({ id, label }) => (
        <Button
          look="bare"
          key={id}
          type="button"
          aria-pressed={props.pane === id}
          onClick={() => props.setPane(id)}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

interface StagePaneProps {
  readonly draft: AppDraft;
  readonly at: string;
  readonly preview: Preview | undefined;
  readonly isUsed: boolean;
  readonly isPhone: boolean;
  readonly isOff: boolean;
  readonly setStage: (state: StageState) => void;
}

function StagePane({ draft, at, preview, isUsed, isPhone, isOff, setStage }: StagePaneProps) {
  const chosen = Object.entries(preview?.pointers ?? {}).find(([, pointer]) => pointer === at)?.[0];
  return (
    <section className="builder-stage" aria-label="Preview">
      {isOff ? (
        <p className="muted stage-note">
          The preview is only available to people who can edit the app.
        </p>
      ) : (
        <Stage
          preview={preview}
          theme={draft.draft.theme}
          chosen={chosen}
          isUsed={isUsed}
          isNarrow={isPhone}
          onChoose={(part) => {
            const pointer = part === null ? undefined : preview?.pointers[part];
            draft.choose(pointer ?? at.replace(/^(\/pages\/\d+).*$/, "$1"));
          }}
          onPage={(path) => {
            const n = draft.draft.pages.findIndex((page) => page.path === path);
            draft.choose(`/pages/${Math.max(0, n)}`);
          }}
          onState={setStage}
        />
      )}
    </section>
  );
}

function rowsOf(preview: Preview | undefined, name: string): string | undefined {
  const source = preview?.sources.find((one) => one.name === name);
  if (!source) return undefined;
  if (source.error !== null) return source.error === "Loading …" ? undefined : "error";
  return source.rows === null ? undefined : count(source.rows, "row");
}
