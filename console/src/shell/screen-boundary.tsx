import { Component, type ReactNode } from "react";
import { ErrorNotice } from "../ui/feedback.tsx";
import { isMissingChunk, reloadOnce } from "../ui/behaviour/new-version.ts";

interface BoundaryProps {
  readonly children: ReactNode;
  /** When this changes, the screen is rendered again. */
  readonly place: string;
}

interface BoundaryState {
  readonly error: Error | undefined;
  readonly place: string;
}

/** Limits an error to its screen: the menu stays, and the user can retry. */
export class ScreenBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  static getDerivedStateFromProps(
    { place }: BoundaryProps,
    state: BoundaryState,
  ): BoundaryState | null {
    return place === state.place ? null : { error: undefined, place };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return <ScreenFailure error={error} retry={() => this.setState({ error: undefined })} />;
  }
}

/** The notice that replaces a screen with an error. */
export function ScreenFailure(props: { readonly error: Error; readonly retry: () => void }) {
  if (isMissingChunk(props.error) && reloadOnce()) return null;
  const { message } = props.error;
  const requestId = "requestId" in props.error ? String(props.error.requestId) : undefined;
  return (
    <div className="screen-failure">
      <h1>This page could not be loaded</h1>
      <p className="muted">Try again. If the error persists, contact your administrator.</p>
      <ErrorNotice error={{ message, requestId }} retry={props.retry} />
    </div>
  );
}
