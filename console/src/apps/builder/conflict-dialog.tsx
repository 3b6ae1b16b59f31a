import { Dialog } from "../../ui/overlay/dialog.tsx";
import { compareApps } from "../draft/difference.ts";
import { mergeDrafts } from "../draft/merge.ts";
import type { Draft } from "../draft/draft.ts";
import { ChangeList } from "../publish/change-list.tsx";
import type { AppDraft } from "./use-app.ts";
import { Button } from "../../ui/form/button.tsx";

/** Another user saved in the meantime: shows their changes and three ways to continue. Each can be undone. */
export function ConflictDialog({
  app,
  theirs,
}: {
  readonly app: AppDraft;
  readonly theirs: Draft;
}) {
  const { saved, draft, settle } = app;
  const { draft: merged, clashes } = mergeDrafts(saved, draft, theirs);
  return (
    <Dialog
      title="Somebody else changed this app"
      isWide
      onClose={() => settle(merged)}
      onSubmit={() => settle(merged)}
      footer={
        <>
          <Button type="button" onClick={() => settle(theirs)}>
            Take theirs
          </Button>
          <Button type="button" onClick={() => settle(draft)}>
            Keep only mine
          </Button>
          <Button look="main" data-focus>
            Keep both
          </Button>
        </>
      }
    >
      <p>Nothing is lost: whatever you choose, Undo brings yours back.</p>
      <h3>They changed</h3>
      <ChangeList changes={compareApps(saved, theirs)} />
      <h3>You changed</h3>
      <ChangeList changes={compareApps(saved, draft)} />
      {clashes.length > 0 && (
        <p className="warn-words">
          Both of you changed {clashes.join(", ")}: of that, yours is kept.
        </p>
      )}
    </Dialog>
  );
}
