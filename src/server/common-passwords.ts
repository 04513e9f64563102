/** Of eight characters and more, in small letters, as they are found on top of every list of what people take. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `12345678 123456789 1234567890 0123456789 9876543210 987654321 87654321 11111111 111111111 1111111111 00000000 000000000 0000000000
  22222222 33333333 44444444 55555555 66666666 77777777 88888888 99999999 12341234 11223344 11112222 12121212 123123123 123321123
  321321321 1q2w3e4r 1q2w3e4r5t 1qaz2wsx 1qaz2wsx3edc zaq12wsx zaq1zaq1 q1w2e3r4 q1w2e3r4t5 qwer1234 qwert123 qwerty12 qwerty123
  qwerty1234 qwerty12345 qwertyui qwertyuiop qwerty123456 asdfghjk asdfghjkl asdfasdf asdf1234 zxcvbnm1 zxcvbnm123 1234qwer 123qweasd
  123qwe123 qweasdzxc qazwsxedc 12qwaszx password password1 password12 password123 password1234 password12345 password! password1!
  p@ssword p@ssw0rd p@ssword1 p@ssw0rd1 passw0rd passw0rd1 passwort passwort1 mypassword mypassword1 newpassword changeme changeme1
  changeme123 changeit secret123 secretpassword letmein1 letmein123 letmeinnow welcome1 welcome12 welcome123 welcome1! welcome2024
  welcome2025 welcome2026 iloveyou iloveyou1 iloveyou2 iloveyou123 iloveyouu loveyou123 sunshine sunshine1 princess princess1 football
  football1 baseball baseball1 basketball superman superman1 batman123 starwars starwars1 trustno1 whatever whatever1 computer computer1
  internet internet1 samsung1 samsung123 liverpool liverpool1 chelsea1 arsenal1 barcelona realmadrid michelle michelle1 jennifer
  jessica1 jonathan charlie1 charlie123 victoria elizabeth alexander alexandra benjamin nicholas patricia danielle daniel123 michael1
  michael123 jordan23 jordan123 mustang1 corvette mercedes dragon123 monkey123 shadow123 master123 killer123 hello123 hello1234
  helloworld hello12345 abcd1234 abc12345 abc123456 abcdefgh abcdefghi abcdefghij abcdef123 a1b2c3d4 a1b2c3d4e5 aa123456 aa12345678
  a12345678 a123456789 asd123456 qwe123456 test1234 test12345 testtest testing123 tester123 temp1234 temporary default123 admin123
  admin1234 admin12345 admin123456 adminadmin administrator administrator1 root1234 rootroot rootpassword toor1234 guest123 guestguest
  user1234 useruser server123 database database1 oracle123 postgres postgres123 rabbitmq rabbitmq1 redrive1 redrive123 redriveredrive
  kafka123 summer2024 summer2025 summer2026 winter2024 winter2025 winter2026 spring2025 spring2026 autumn2025 autumn2026 january2026
  november2026 december2026 company1 company123 business1 security security1 access123 access14 freedom1 november december february
  september blink182 pokemon1 pokemon123 naruto123 minecraft minecraft1 fortnite1 google123 facebook facebook1 linkedin
  linkedin1 snoopy123 cookie123 chocolate chocolate1 butterfly butterfly1 snowball sweetheart spiderman spiderman1 lovelove
  qqqqqqqq aaaaaaaa zzzzzzzz asdasdasd abcabcabc xxxxxxxx`.split(/\s+/),
)
