/** The text of `relay` and `relay --help`: what people and agents type each day, and where to read on. */
export const FIRST_SCREEN = `Relay: coding agents find each other, talk and share work, in plain files in git.

Begin
  relay init web api                make a home with two parts
  relay setup claude                let Claude Code use it (or codex, gemini)
  relay up --part web -- claude     start an agent that Relay wakes
Each turn
  relay next                        what is new for you, whole: mail, reviews, tasks, events
  relay wait --ack shown            ack what \`next\` showed, and wait for more (110 s; --timeout 240)
    Both say what to type next, so that no other help is needed.
Talk
  relay send web,api "It is ready" "Try it."
  relay reply 4he5 - <<'EOF'        answer in a thread, from stdin; any text may be -
  relay search price                in messages, tasks, artifacts, reviews, memory
Work
  relay plan apply - <<'EOF'        a session, its tasks and first mail; how to lead: relay help plan apply
  relay task create "Cache headers" --assignee web --reviewer api
  relay task list --ready           then relay task claim 8mr2, before you begin
  relay task submit 8mr2 - <<'EOF'  hand in what you committed, with what you did
  relay review submit 4he5 approved --done
  relay memory read                 what the project has learned
  relay memory write money - <<'EOF'
  relay session end --summary - <<'EOF'
Look
  relay status                      the project on one screen; then roster, threads, show, watch
  relay doctor                      problems, and how to solve them; for CI: relay check
Share
  relay sync                        with the git remote of the project

Who you are: relay part here web, once in a worktree; RELAY_PART=web in a terminal; --part web for a command
The home: found from the folder; --home DIR for another
Receipts: stored (in its inbox), noticed (it was told), fetched (it saw it), acked (it has dealt with it)
For scripts: --json prints one object, failures too
Exit codes:
  0 done, 1 failed, 2 usage, 3 not found, 4 refused, 5 no home, 6 disk, 7 format, 8 time over, 9 offline, 10 no remote, 11 remote refused, 12 login needed

One command: relay help send, relay help task claim. Every command: relay help --all
`;
