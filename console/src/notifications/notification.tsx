import "./notifications.css";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { useEffect } from "react";
import { call, useOp } from "../data/api.ts";
import { place, switchPlace } from "../data/place.ts";
import { pathOf } from "../data/resource-path.ts";
import { useActions } from "../shell/actions.ts";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { Ago } from "../ui/time.tsx";
import { tellTimes, toWords } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";

/** A notification with a link to its resource. E-mails link here. */
export function NotificationPage() {
  const { id } = useParams({ from: "/inside/notifications/$id" });
  const navigate = useNavigate();
  const { data, error, isPending, refetch } = useOp("notifications.get", { params: { id } });
  const one = data?.data;
  const isNew = one?.readAt === null;
  useTitle(one?.title);
  useEffect(() => {
    if (!isNew) return;
    void call("notifications.read", { params: { id } });
  }, [id, isNew]);
  const path = one?.resource ? pathOf(one.resource.type, one.resource.id) : undefined;
  const isElsewhere = one !== undefined && one.environment !== place.environment;
  const follow = (): void => {
    if (path === undefined || one === undefined) return;
    if (isElsewhere) switchPlace({ environment: one.environment }, path);
    else void navigate({ to: path });
  };
  useActions([
    {
      keys: "Escape",
      label: "Back",
      run: () => void navigate({ to: "/notifications" }),
      hidden: true,
    },
    ...(path === undefined ? [] : [{ keys: "Enter", label: "Open", run: follow }]),
  ]);
  return (
    <div className="scroll reading">
      <Link to="/notifications" className="btn bare reading-back">
        <ArrowLeft /> Notifications
      </Link>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={4} />}
      {one && (
        <article className="reading-sheet">
          <h1>{one.title}</h1>
          <p className="muted">
            <Ago at={one.createdAt} />
            {isElsewhere && ` in ${toWords(one.environment)}`}
          </p>
          {one.body !== "" && <p className="reading-text">{tellTimes(one.body)}</p>}
          {path !== undefined && (
            <Button look="main" onClick={follow}>
              {isElsewhere ? `Open in ${toWords(one.environment)}` : "Open"} <ArrowRight />
              <Keys keys="Enter" />
            </Button>
          )}
        </article>
      )}
    </div>
  );
}
