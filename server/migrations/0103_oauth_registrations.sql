-- Clients that registered themselves (RFC 7591) belong to no workspace, and have no secret: a person brings them into one by
-- their consent.
alter table oauth_applications alter column workspace_id drop not null, alter column secret_hash drop not null;
create policy registered on oauth_applications for select to millrace_app using (workspace_id is null);
create policy registration on oauth_applications for insert to millrace_app with check (workspace_id is null);
-- The system counts them, and sweeps away those that nobody uses.
create policy unused on oauth_applications for delete to millrace_system using (workspace_id is null);
grant delete on oauth_applications to millrace_system;
create index oauth_applications_registered on oauth_applications (created_at) where workspace_id is null;
