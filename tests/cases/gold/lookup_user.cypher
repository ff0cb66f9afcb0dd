MATCH (u:User)
RETURN u.userid, u.firstname, u.lastname
ORDER BY u.userid
