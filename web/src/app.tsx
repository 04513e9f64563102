import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Route, Switch, useLocation, useSearch } from 'wouter'
import { ApiProblem, whenSignedOut } from './api/client.ts'
import { sessionQuery } from './api/session.ts'
import { PageHead } from './parts/page-head.tsx'
import { Problem } from './parts/problem.tsx'
import { AlertsScreen } from './screens/alerts/alerts.tsx'
import { AuditScreen } from './screens/audit/audit.tsx'
import { CauseScreen } from './screens/cause/cause.tsx'
import { ConsumersScreen } from './screens/consumers/consumers.tsx'
import { InboxScreen } from './screens/inbox/inbox.tsx'
import { LetterScreen } from './screens/letter/letter.tsx'
import { LettersScreen } from './screens/letters/letters.tsx'
import { NotifiersScreen } from './screens/notifiers/notifiers.tsx'
import { OverviewScreen } from './screens/overview/overview.tsx'
import { PeopleScreen } from './screens/people/people.tsx'
import { PermissionsScreen } from './screens/permissions/permissions.tsx'
import { ReplayScreen } from './screens/replay/replay.tsx'
import { ReplaysScreen } from './screens/replays/replays.tsx'
import { RulesScreen } from './screens/rules/rules.tsx'
import { SignInScreen } from './screens/sign-in/sign-in.tsx'
import { SilencesScreen } from './screens/silences/silences.tsx'
import { SourcesScreen } from './screens/sources/sources.tsx'
import { WizardScreen } from './screens/wizard/wizard.tsx'
import { Actions } from './shell/actions.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from './shell/toast.tsx'

/** With the editor and its diff, which most visits do not need. */
const EditScreen = lazy(() => import('./screens/edit/edit.tsx'))

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      // What the server refuses, it refuses again.
      retry: (failures, error) => !(error instanceof ApiProblem) && failures < 2,
    },
  },
})
whenSignedOut(() => client.setQueryData(sessionQuery.queryKey, null))

export function App() {
  return (
    <QueryClientProvider client={client}>
      <Toasts>
        <Actions>
          <Door />
        </Actions>
      </Toasts>
    </QueryClientProvider>
  )
}

/** Everything is behind a session. Where somebody wanted to go stays in the address until they are in. */
function Door() {
  const { data, error, isPending, refetch } = useQuery(sessionQuery)
  if (isPending) return <p className="p-8 text-muted">One moment…</p>
  // Once somebody is in, asking again who they are may fail: the page stays, with what they have typed into it.
  if (error && data === undefined) return <div className="p-8">{<Problem error={error} retry={() => void refetch()} />}</div>
  if (data === null) return <SignInScreen />
  return (
    <Shell>
      <Screens />
    </Shell>
  )
}

function Screens() {
  useFocusOnNewScreen()
  return (
    <Suspense fallback={<p className="text-muted">One moment…</p>}>
      <Switch>
        <Route path="/">
          <InboxScreen />
        </Route>
        <Route path="/overview">
          <OverviewScreen />
        </Route>
        <Route path="/causes/:id">{({ id }) => <CauseScreen key={id} id={Number(id)} />}</Route>
        <Route path="/letters">
          <LettersScreen key={useSearch()} />
        </Route>
        <Route path="/letters/:id">{({ id }) => <LetterScreen key={id} id={Number(id)} />}</Route>
        <Route path="/letters/:id/edit">{({ id }) => <EditScreen key={id} id={Number(id)} />}</Route>
        <Route path="/replay">
          <WizardScreen />
        </Route>
        <Route path="/replays">
          <ReplaysScreen />
        </Route>
        <Route path="/replays/:id">{({ id }) => <ReplayScreen key={id} id={Number(id)} />}</Route>
        <Route path="/alerts">
          <AlertsScreen />
        </Route>
        <Route path="/alerts/silences">
          <SilencesScreen />
        </Route>
        <Route path="/alerts/rules">
          <RulesScreen />
        </Route>
        <Route path="/alerts/notifiers">
          <NotifiersScreen />
        </Route>
        <Route path="/sources">
          <SourcesScreen />
        </Route>
        <Route path="/consumers">
          <ConsumersScreen />
        </Route>
        <Route path="/audit">
          <AuditScreen />
        </Route>
        <Route path="/people">
          <PeopleScreen />
        </Route>
        <Route path="/permissions">
          <PermissionsScreen />
        </Route>
        <Route>
          <PageHead title="There is no such page" about="The menu leads to all there are." />
        </Route>
      </Switch>
    </Suspense>
  )
}

/** Whoever listens instead of looking hears that a new screen is there. */
function useFocusOnNewScreen(): void {
  const [path] = useLocation()
  const last = useRef(path)
  useEffect(() => {
    if (last.current === path) return
    last.current = path
    document.getElementById('main')?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [path])
}
