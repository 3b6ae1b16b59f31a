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
      title="Another user changed this app"
      isWide
      onClose={() => settle(merged)}
      onSubmit={() => settle(merged)}
      footer={
        <>
          <Button type="button" onClick={() => settle(theirs)}>
            Use their version
          </Button>
          <Button type="button" onClick={() => settle(draft)}>
            Use my version
          </Button>
          <Button look="main" data-focus>
            Merge both
          </Button>
        </>
      }
    >
      <p>You can return to your version with Undo, whichever option you select.</p>
      <h3>Their changes</h3>
      <ChangeList changes={compareApps(saved, theirs)} />
      <h3>Your changes</h3>
      <ChangeList changes={compareApps(saved, draft)} />
      {clashes.length > 0 && (
        <p className="warn-words">You both changed {clashes.join(", ")}. Your values are kept.</p>
      )}
    </Dialog>
  );
}
