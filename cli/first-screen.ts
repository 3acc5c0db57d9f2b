/** What `relay` alone prints: how one begins, and where the rest is. */
export const FIRST_SCREEN = `Relay: coding agents find each other, talk and share work, in plain files in git.

Begin
  relay init web api                      make a home with two parts
  relay setup claude                      let Claude Code use it (or codex, gemini)
  relay up --part web -- claude           start an agent that Relay wakes
Talk
  relay send web "API is ready" "Try it." --part api
  relay inbox --part web                  what is unread
  relay show                              read the unread thread; then reply, ack
Work
  relay task create "Cache headers"       then task list, task claim, task update
  relay session start                     a piece of work: its tasks and summary
Look
  relay status                            the room on one screen
  relay watch                             what happens, as it happens
  relay doctor                            what is wrong, and what to type
Share
  relay sync                              with the git remote of the project

Every command: relay --help. One command: relay help send, relay help task claim
`;
