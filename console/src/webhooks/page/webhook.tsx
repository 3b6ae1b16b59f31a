import "../webhooks.css";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Ellipsis, KeyRound, Pause, Play, Send, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, useOp } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { useRefusals } from "../../data/people.ts";
import { PageError } from "../../shell/not-found.tsx";
import { useActions } from "../../shell/actions.ts";
import { useTitle } from "../../shell/title.ts";
import { Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { Confirm } from "../../ui/overlay/confirm.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { notify, notifyError } from "../../ui/toast.tsx";
import { toDuration, toWords } from "../../ui/words.ts";
import { HealthStrip } from "../health-strip.tsx";
import { type Health, shareOf, stateOf, type Webhook } from "../health.ts";
import { WEBHOOK_TABS, type WebhookTab } from "../search.ts";
import { Deliveries } from "./deliveries.tsx";
import { PauseNotice, ResumeDialog } from "./pause-notice.tsx";
import { Recoveries } from "./recoveries.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { Settings } from "./settings.tsx";
import { Button } from "../../ui/form/button.tsx";

const LOOK_MS = 3_000;

type Asked = "resume" | "rotate" | "delete";

/** One webhook: its deliveries, what it missed, and its settings. */
export function WebhookPage() {
  const { id } = useParams({ from: "/inside/webhooks/$id" });
  const { tab = "deliveries" } = useSearch({ from: "/inside/webhooks/$id" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp(
    "webhooks.get",
    { params: { id } },
    { refetchInterval: LOOK_MS },
  );
  const webhook = data?.data;
  useTitle(webhook?.name);
  const choose = (next: WebhookTab): void =>
    void navigate({
      to: "/webhooks/$id",
      params: { id },
      search: { tab: next === "deliveries" ? undefined : next },
      replace: true,
    });
  if (error) return <PageError error={error} retry={() => void refetch()} />;
  if (isPending || !webhook) return <Loading rows={10} />;
  return (
    <div className="page paper">
      <Head webhook={webhook} />
      {webhook.status === "paused" && <PauseNotice webhook={webhook} />}
      {webhook.catchingUp && (
        <p className="notice" role="status">
          It makes up what it missed in its pause, in the order in which it happened.
        </p>
      )}
      <Tabs
        className="hook-tabs"
        label={webhook.name}
        tabs={WEBHOOK_TABS.map((one) => ({ id: one, label: toWords(one) }))}
        chosen={tab}
        onChoose={choose}
      >
        {tab === "deliveries" && <Deliveries webhook={webhook} />}
        {tab === "recovery" && <Recoveries webhook={webhook} />}
        {tab === "settings" && <Settings key={webhook.id} webhook={webhook} />}
      </Tabs>
    </div>
  );
}

function Head({ webhook }: { readonly webhook: Webhook }) {
  const { id, name, url, status } = webhook;
  const refusalOf = useRefusals();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Asked>();
  const [isTesting, setTesting] = useState(false);
  const health = useOp("webhooks.list_health", { query: { id } }, { refetchInterval: LOOK_MS }).data
    ?.data[0];
  const reason = refusalOf("webhooks.delete");
  const test = async (): Promise<void> => {
    setTesting(true);
    notify(await sendTest(id));
    setTesting(false);
  };
  const turn = (): void => {
    if (status === "paused") return setAsked("resume");
    void setStatus(webhook, "paused");
  };
  useActions([
    { keys: "t", label: "Send a test", run: () => void test(), disabled: reason },
    {
      keys: "p",
      label: status === "paused" ? "Resume" : "Pause",
      run: turn,
      disabled: reason,
    },
  ]);
  const remove = async (): Promise<void> => {
    setAsked(undefined);
    try {
      await call("webhooks.delete", { params: { id } });
      notify(`${name} is deleted.`);
      void navigate({ to: "/webhooks" });
    } catch (failure) {
      notifyError(failure);
    }
  };
  const off = { disabled: reason !== undefined, title: reason };
  return (
    <header className="page-head hook-page-head">
      <div className="grow hook-title">
        <h1 className="cut">{name}</h1>
        <span className="muted mono cut">{url}</span>
      </div>
      {health && health.recent.length > 0 && <Summary health={health} />}
      <State {...stateOf(webhook, health)} />
      <Button
        disabled={reason !== undefined || isTesting}
        title={reason}
        onClick={() => void test()}
      >
        <Send /> {isTesting ? "Sending…" : "Send a test"} <Keys keys="t" />
      </Button>
      <Button look={status === "paused" ? "main" : undefined} {...off} onClick={turn}>
        {status === "paused" ? <Play /> : <Pause />}
        {status === "paused" ? "Resume" : "Pause"} <Keys keys="p" />
      </Button>
      <Menu
        label="More"
        className="btn bare icon"
        items={[
          {
            label: "New signing secret",
            icon: <KeyRound />,
            disabled: reason,
            onPick: () => setAsked("rotate"),
          },
          {
            label: "Delete",
            icon: <Trash2 />,
            isDangerous: true,
            isApart: true,
            disabled: reason,
            onPick: () => setAsked("delete"),
          },
        ]}
      >
        <Ellipsis />
      </Menu>
      {asked === "resume" && <ResumeDialog webhook={webhook} onClose={() => setAsked(undefined)} />}
      {asked === "rotate" && <SecretDialog webhook={webhook} onClose={() => setAsked(undefined)} />}
      {asked === "delete" && (
        <Confirm
          title={`Delete ${name}`}
          act="Delete it"
          onAct={() => void remove()}
          onClose={() => setAsked(undefined)}
        >
          Nothing is sent to {new URL(url).host} any more, and its deliveries can't be seen any
          more. This can't be taken back.
        </Confirm>
      )}
    </header>
  );
}

function Summary({ health }: { readonly health: Health }) {
  return (
    <span className="hook-summary">
      <HealthStrip recent={health.recent} />
      {health.successShare !== null && <span>{shareOf(health.successShare)} arrived</span>}
      {health.open > 0 && <span className="muted">{health.open} under way</span>}
    </span>
  );
}

async function sendTest(id: string): Promise<string> {
  try {
    const { data } = await call("webhooks.test", { params: { id } });
    if (data.status === 0) return `Nothing answered: ${data.error ?? "no reason is known"}`;
    const verdict = data.status >= 200 && data.status < 300 ? "It arrived" : "It was refused";
    return `${verdict}: ${data.status} in ${toDuration(data.latency_ms)}.`;
  } catch (failure) {
    return failure instanceof Error ? failure.message : String(failure);
  }
}

/** Pauses or goes on from now; each is the way back from the other. */
function setStatus(webhook: Webhook, status: "active" | "paused"): Promise<boolean> {
  const { id, name } = webhook;
  const send = async (next: "active" | "paused"): Promise<void> => {
    await call("webhooks.update", { params: { id }, body: { status: next } });
  };
  return applyChange({
    send: () => send(status),
    said: status === "paused" ? `${name} is paused. It keeps its place.` : `${name} goes on.`,
    ...(status === "paused" && {
      undo: async () => {
        await call("webhooks.resume", { params: { id }, body: { from: "pausedAt" } });
      },
    }),
  });
}
